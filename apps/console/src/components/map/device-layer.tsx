import type { DevicePlace } from '@hilltop/contract';
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { paths } from '../../paths.ts';
import { LastSeen } from '../last-seen/last-seen.tsx';
import { AppLink } from '../link/link.tsx';
import classes from './device-layer.module.css';
import type { MapPoint } from './map-point.ts';

const mostDevices = 9999;
const refreshMs = 60_000;

/** Distinguishes a device from a gateway with the same EUI. */
const pointID = (devEUI: string) => `device/${devEUI}`;

/** The devices of a map, which the address shows: `?devices=shown`. They are loaded when they are shown. */
export function useDeviceLayer(organizationID: string) {
  const { devices: chosen, ...address }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const isOffered = useOffered('devicePlace', 'list', false);
  const isShown = isOffered && chosen === 'shown';
  const places = useQuery({
    ...query('devicePlace', 'list', { organizationID, limit: mostDevices }),
    enabled: isShown,
    refetchInterval: refreshMs,
  });
  const result = isShown ? places.data?.result : undefined;
  const points = useMemo(
    (): MapPoint[] =>
      (result ?? []).map(({ devEUI, name, latitude, longitude }) => ({
        id: pointID(devEUI),
        label: name,
        latitude,
        longitude,
        tone: 'plain',
      })),
    [result],
  );
  const toggle = () =>
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: { ...address, devices: isShown ? undefined : 'shown' },
    });
  return {
    isOffered,
    isShown,
    toggle,
    points,
    failure: isShown ? places.error : null,
    retry: () => void places.refetch(),
    totalCount: isShown && places.data ? Number(places.data.totalCount) : undefined,
    deviceOf: (id: string) => result?.find(({ devEUI }) => pointID(devEUI) === id),
  };
}

interface SwitchProps {
  isShown: boolean;
  toggle: () => void;
  totalCount: number | undefined;
  listedCount: number;
}

/** The switch of the layer in the legend of the map. */
export function DeviceLayerSwitch({ isShown, toggle, totalCount, listedCount }: SwitchProps) {
  const count = totalCount === undefined ? '' : `: ${listedCount.toLocaleString('en')}`;
  const rest = totalCount !== undefined && totalCount > listedCount ? ` of ${totalCount.toLocaleString('en')}` : '';
  return (
    <Checkbox
      size="xs"
      checked={isShown}
      onChange={toggle}
      label={<span className={classes.device}>{`Devices${count}${rest}`}</span>}
    />
  );
}

export function DevicePopup({ device }: { device: DevicePlace }) {
  return (
    <>
      <AppLink to={paths.device.one(device.organizationID, device.applicationID, device.devEUI)}>{device.name}</AppLink>
      <div className="identifier">{device.devEUI}</div>
      <div>
        <LastSeen at={device.lastSeenAt} />
      </div>
    </>
  );
}
