import type { GatewayListItem } from '@hilltop/contract';
import { Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { preloadMap, WorldMap } from '../../components/map/map.tsx';
import { hasPosition } from '../../components/map/map-point.ts';
import { ErrorState } from '../../components/states/states.tsx';
import { gatewayTone, toneWords } from '../../components/status/gateway-tone.ts';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';

// Both take longer than all the rest of the screen.
preloadMap();
void api.preload('gateway');

const height = 600;
const mostGateways = 9999;
/** A marker turns red five minutes after the last sign of life; a minute more is soon enough. */
const refreshMs = 60_000;

/** Where the gateways of an organization, or of all of them ('0'), stand and whether they are heard. */
export function GatewayMap({ organizationID }: { organizationID: string }) {
  const gateways = useQuery({
    ...query('gateway', 'list', { organizationID, limit: mostGateways, offset: 0 }),
    refetchInterval: refreshMs,
  });
  const { data, dataUpdatedAt } = gateways;
  const placed = useMemo(() => (data?.result ?? []).filter(({ location }) => hasPosition(location)), [data]);
  const points = useMemo(
    () =>
      placed.map(({ id, name, location, lastSeenAt }) => ({
        id,
        label: name,
        latitude: location?.latitude ?? 0,
        longitude: location?.longitude ?? 0,
        tone: gatewayTone(lastSeenAt, dataUpdatedAt),
      })),
    [placed, dataUpdatedAt],
  );
  const unplaced = (data?.result.length ?? 0) - placed.length;

  return (
    <Paper component="section" aria-label="Gateways" mt="md">
      <Title order={2} size="h3" mb="xs">
        Gateways
      </Title>
      {gateways.isError && <ErrorState error={gateways.error} retry={() => void gateways.refetch()} />}
      {data && placed.length === 0 && (
        <Text c="dimmed">{unplaced === 0 ? 'There are no gateways yet.' : 'No gateway has a position yet.'}</Text>
      )}
      {(gateways.isPending || placed.length > 0) && (
        <WorldMap
          label="Map of the gateways"
          height={height}
          points={points}
          isPending={gateways.isPending}
          isClustered
          legend={data && <Legend points={points} />}
          popupOf={({ id }) => <Popup gateway={placed.find((one) => one.id === id)} />}
        />
      )}
      {placed.length > 0 && unplaced > 0 && (
        <Text c="dimmed" size="sm" mt="xs">
          {unplaced === 1 ? '1 gateway has' : `${unplaced} gateways have`} no position and{' '}
          {unplaced === 1 ? 'is' : 'are'} not shown.
        </Text>
      )}
    </Paper>
  );
}

/** The colours of the markers in words, and how many there are of each. */
function Legend({ points }: { points: readonly { tone: keyof typeof toneWords }[] }) {
  return Object.entries(toneWords).map(([tone, word]) => (
    <div key={tone}>
      <Status tone={tone as keyof typeof toneWords}>
        {`${word}: ${points.filter((point) => point.tone === tone).length}`}
      </Status>
    </div>
  ));
}

function Popup({ gateway }: { gateway: GatewayListItem | undefined }) {
  if (!gateway) return null;
  return (
    <>
      <AppLink to={paths.gateway.one(gateway.organizationID, gateway.id)}>{gateway.name}</AppLink>
      <div className="identifier">{gateway.id}</div>
      <div>{gateway.lastSeenAt ? <LastSeen at={gateway.lastSeenAt} /> : 'Never seen online'}</div>
    </>
  );
}
