import type { Operations, ResponseOf } from '@hilltop/contract';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { DeleteButton } from '../../components/confirm/delete-button.tsx';
import { KeptEnd } from '../../components/kept-end/kept-end.tsx';
import { AppLink, LinkButton } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { RecordHeader } from '../../components/page-header/record-header.tsx';
import { useApplicationCrumbs } from '../../components/page-header/use-application-crumbs.ts';
import { Status } from '../../components/status/status.tsx';
import { showDeleted } from '../../components/trash/deleted-toast.tsx';
import { Restorable } from '../../components/trash/restorable.tsx';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { classLetter } from './device-class.ts';
import { DeviceMenu } from './device-menu.tsx';
import { DeviceState } from './device-state.tsx';
import { batteryText } from './device-status.tsx';
import { signalOf } from './last-uplink.ts';
import { SendDownlink } from './send-downlink.tsx';
import { useListening, useProfileOf } from './use-device.ts';
import { useKnownEvents } from './use-last-events.tsx';

type Answer = ResponseOf<Operations['device']['get']>;

/** The header of a device: what it is, how well gateways receive it, and its tabs. */
export function DeviceHeader({ answer: { device, lastSeenAt, deviceStatusBattery, state } }: { answer: Answer }) {
  const { organizationID, applicationID, devEUI } = useIDs();
  const profile = useProfileOf(device.deviceProfileID).data?.deviceProfile;
  const maySend = useMay()('deviceQueue.enqueue');
  const crumbs = useApplicationCrumbs();
  const listening = useListening(false).data;
  const signal = signalOf(useKnownEvents().up);
  return (
    <RecordHeader
      crumbs={crumbs}
      title={device.name}
      identifier={{ name: 'EUI', value: devEUI, of: 'device EUI' }}
      state={device.isDisabled ? <Status tone="inactive">Disabled</Status> : state && <DeviceState state={state} />}
      lastSeenAt={lastSeenAt}
      facts={[
        { name: 'Battery', value: batteryText(deviceStatusBattery) },
        { name: 'Class', value: listening && classLetter(listening) },
        { name: 'RSSI', value: signal?.rssi, width: 8 },
        { name: 'SNR', value: signal?.snr, width: 7 },
        {
          name: 'Profile',
          full: profile?.name,
          width: 24,
          value: (
            <AppLink to={paths.deviceProfile.one(organizationID, device.deviceProfileID)}>
              <KeptEnd>{profile?.name ?? '…'}</KeptEnd>
            </AppLink>
          ),
        },
      ]}
      primary={maySend && <SendDownlink devEUI={devEUI} />}
      actions={
        <>
          <LinkButton
            variant="default"
            to={paths.deviceLabels(organizationID, applicationID)}
            search={{ devices: devEUI } as never}
          >
            Label
          </LinkButton>
          <DeviceMenu device={device} />
          <DeleteDevice name={device.name} />
        </>
      }
      tabs={useDeviceTabs(profile?.supportsJoin ?? true)}
    />
  );
}

function DeleteDevice({ name }: { name: string }) {
  const { organizationID, applicationID, devEUI } = useIDs();
  const may = useMay();
  const navigate = useNavigate();
  if (!may('device.delete')) return null;
  return (
    <DeleteButton
      question="Are you sure you want to delete this device?"
      name={name}
      note={
        <>
          <Restorable /> Its queued downlinks and its statistics are deleted for good.
        </>
      }
      onDelete={async () => {
        await perform(api.device.delete({ devEUI }), { gone: ['device'] });
        void showDeleted({ done: 'device has been deleted', recordID: devEUI, organizationID });
      }}
      onDone={() => void navigate({ to: paths.application.one(organizationID, applicationID) })}
    />
  );
}

function useDeviceTabs(supportsJoin: boolean) {
  const { organizationID, applicationID, devEUI } = useIDs();
  const may = useMay();
  const hasHistory = useOffered('history', 'list');
  const hasValues = useOffered('series', 'get');
  const to = (address: (...ids: [string, string, string]) => string) => address(organizationID, applicationID, devEUI);
  return [
    { label: 'Details', to: to(paths.device.one), exact: true },
    { label: 'Configuration', to: to(paths.deviceEdit) },
    {
      label: 'Keys (OTAA)',
      to: to(paths.deviceKeys),
      hidden: !may('device.getKeys'),
      disabled: supportsJoin ? undefined : 'The device-profile does not support OTAA.',
    },
    { label: 'Activation', to: to(paths.deviceActivation) },
    { label: 'Timeline', to: to(paths.deviceTimeline), hidden: !hasHistory },
    { label: 'Values', to: to(paths.deviceValues), hidden: !hasValues },
    { label: 'Device data', to: to(paths.deviceData) },
    { label: 'LoRaWAN Frames', to: to(paths.deviceFrames) },
  ];
}
