import type { GatewayPlace } from '@hilltop/contract';
import { Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { use, useMemo, useRef } from 'react';
import { api } from '../../api/client.ts';
import { query, type Read } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { DeviceLayerSwitch, DevicePopup, useDeviceLayer } from '../../components/map/device-layer.tsx';
import { preloadMap, WorldMap } from '../../components/map/map.tsx';
import { hasPosition } from '../../components/map/map-point.ts';
import { useInView } from '../../components/map/use-in-view.ts';
import { ErrorState } from '../../components/states/states.tsx';
import { gatewayTone } from '../../components/status/gateway-tone.ts';
import { paths } from '../../paths.ts';
import { useMay } from '../../session/session.tsx';
import { MapLegend, useHiddenTones } from './map-legend.tsx';
import { IsPlaced } from './when-empty.tsx';

// Map and legend load later than all other parts of the screen.
preloadMap();
void api.preload('gateway', 'gatewayPlace', 'devicePlace', 'traffic');

const height = 600;
const mostGateways = 9999;
/** A marker turns red five minutes after the last message; refetching every minute is enough. */
const refreshMs = 60_000;

/** A map with the gateways of an organization, or of all organizations ('0'), and their status. */
export function GatewayMap({ organizationID }: { organizationID: string }) {
  const section = useRef<HTMLElement>(null);
  const isSeen = useInView(section, use(IsPlaced));
  const gateways = useQuery({ ...placesOf(organizationID), refetchInterval: refreshMs, enabled: isSeen });
  const { data, dataUpdatedAt } = gateways;
  const placed = useMemo(() => (data ?? []).filter(hasPosition), [data]);
  const points = useMemo(
    () =>
      placed.map(({ id, name, latitude, longitude, lastSeenAt }) => ({
        id,
        label: name,
        latitude,
        longitude,
        tone: gatewayTone(lastSeenAt, dataUpdatedAt),
      })),
    [placed, dataUpdatedAt],
  );
  const { hidden, toggle } = useHiddenTones();
  const devices = useDeviceLayer(organizationID);
  const shown = useMemo(
    () => [...points.filter(({ tone }) => !hidden.includes(tone)), ...devices.points],
    [points, hidden, devices.points],
  );
  const unplaced = (data?.length ?? 0) - placed.length;

  return (
    <Paper ref={section} component="section" aria-label="Gateways" mt="md">
      <Title order={2} size="h3" mb="xs">
        Gateways
      </Title>
      {gateways.isError && <ErrorState error={gateways.error} retry={() => void gateways.refetch()} />}
      {data && placed.length === 0 && <NoPositions gateways={data} organizationID={organizationID} />}
      {(gateways.isPending || placed.length > 0) && (
        <WorldMap
          label="Map of the gateways"
          height={height}
          points={shown}
          around={points}
          isHeld={!isSeen}
          isPending={gateways.isPending}
          isClustered
          legend={
            data && (
              <MapLegend points={points} hidden={hidden} toggle={toggle}>
                {devices.isOffered && <DeviceLayerSwitch {...devices} listedCount={devices.points.length} />}
              </MapLegend>
            )
          }
          popupOf={({ id }) => {
            const device = devices.deviceOf(id);
            return device ? <DevicePopup device={device} /> : <Popup gateway={placed.find((one) => one.id === id)} />;
          }}
        />
      )}
      {devices.failure && <ErrorState error={devices.failure} retry={devices.retry} />}
      {placed.length > 0 && unplaced > 0 && (
        <Text c="dimmed" size="sm" mt="xs">
          {unplaced === 1 ? '1 gateway has' : `${unplaced} gateways have`} no position and{' '}
          {unplaced === 1 ? 'is' : 'are'} not shown.
        </Text>
      )}
    </Paper>
  );
}

/** Why there is no map, with the next action. */
function NoPositions({ gateways, organizationID }: { gateways: readonly GatewayPlace[]; organizationID: string }) {
  const may = useMay();
  const isAll = organizationID === '0';
  const [first] = gateways;
  if (!first)
    return (
      <Text c="dimmed">
        There are no gateways yet.{' '}
        {!isAll && may('gateway.create', organizationID) && (
          <AppLink to={paths.gatewayConnect(organizationID)}>Connect a gateway</AppLink>
        )}
      </Text>
    );
  const list = isAll ? paths.allGateways() : paths.gateway.list(organizationID);
  return (
    <Text c="dimmed">
      No gateway has a position yet.{' '}
      {may('gateway.update', first.organizationID) &&
        (gateways.length === 1 ? (
          <AppLink to={paths.gatewayEdit(first.organizationID, first.id)}>Set its position</AppLink>
        ) : (
          <AppLink to={list}>Show gateways</AppLink>
        ))}
    </Text>
  );
}

/** Uses the list of gateways on a server without an endpoint for locations. */
function placesOf(organizationID: string): Read<readonly GatewayPlace[]> {
  const request = { organizationID, limit: mostGateways };
  const places = query('gatewayPlace', 'list', request);
  const list = query('gateway', 'list', { ...request, offset: 0 });
  return {
    queryKey: ['gateway', 'places', request],
    queryFn: async (context) => {
      if (await api.gatewayPlace.list.isOffered()) return (await places.queryFn(context)).result;
      const { result } = await list.queryFn(context);
      return result.map(({ location, ...gateway }) => ({ latitude: 0, longitude: 0, ...location, ...gateway }));
    },
  };
}

function Popup({ gateway }: { gateway: GatewayPlace | undefined }) {
  if (!gateway) return null;
  return (
    <>
      <AppLink to={paths.gateway.one(gateway.organizationID, gateway.id)}>{gateway.name}</AppLink>
      <div className="identifier">{gateway.id}</div>
      <div>{gateway.lastSeenAt ? <LastSeen at={gateway.lastSeenAt} /> : 'Never seen online'}</div>
    </>
  );
}
