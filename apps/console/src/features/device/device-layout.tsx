import { Outlet } from '@tanstack/react-router';
import { prefetch } from '../../api/prefetch.ts';
import { type IDs, useIDs } from '../../components/link/use-ids.ts';
import { PageSkeleton } from '../../components/page-header/page-skeleton.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { DeviceHeader } from './device-header.tsx';
import { deviceOf, useDevice } from './use-device.ts';
import { LastEventsOf } from './use-last-events.tsx';

/** The page of one device: its header, and tabs with an address each. */
export function DeviceLayout() {
  const { devEUI } = useIDs();
  return (
    <Loaded query={useDevice()} skeleton={<PageSkeleton />}>
      {(answer) => (
        <LastEventsOf key={devEUI} devEUI={devEUI}>
          <DeviceHeader answer={answer} />
          <Outlet />
        </LastEventsOf>
      )}
    </Loaded>
  );
}

DeviceLayout.ask = ({ devEUI }: IDs) => prefetch(deviceOf(devEUI));
