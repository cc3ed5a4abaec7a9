import type { GatewayDiscovery as Discovery, Gateway } from '@hilltop/contract';
import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { query } from '../../api/queries.ts';
import { formatLong } from '../../components/last-seen/dates.ts';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { formatRSSI, formatSNR } from '../../components/live-log/radio.ts';
import { WorldMap } from '../../components/map/map.tsx';
import type { MapPoint } from '../../components/map/map-point.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import classes from './gateway.module.css';
import { whyNoPing } from './ping-outcome.ts';
import { colorOfRssi, rssiBands, weakestColor } from './rssi-bands.ts';
import { useGateway } from './use-gateway.ts';

export function GatewayDiscovery() {
  return <Loaded query={useGateway()}>{({ gateway }) => <LastPing gateway={gateway} />}</Loaded>;
}

const refreshMs = 30_000;

function LastPing({ gateway }: { gateway: Gateway }) {
  const ping = useQuery({
    ...query('gatewayDiscovery', 'get', { gatewayID: gateway.id }),
    refetchInterval: refreshMs,
  });
  return (
    <Loaded query={ping} skeleton={<Skeleton height={800} />}>
      {(found) =>
        found.receivers.length === 0 ? (
          <NoReceivers gateway={gateway} found={found} />
        ) : (
          <Stack gap="sm">
            <Text>
              Last ping: <LongDate at={found.sentAt} />
            </Text>
            <LaterAttempt found={found} />
            <PingMap gateway={gateway} found={found} />
          </Stack>
        )
      }
    </Loaded>
  );
}

function NoReceivers({ gateway, found: { outcome, sentAt, triedAt } }: { gateway: Gateway; found: Discovery }) {
  const isStation = gateway.metadata['link'] === 'basics-station';
  const why = whyNoPing(isStation ? 'BASICS_STATION' : outcome);
  if (why !== undefined)
    return (
      <EmptyState title={isStation ? 'This gateway sends no pings' : 'The last ping was not sent'}>
        {why} {!isStation && <LongDate at={triedAt} />}
      </EmptyState>
    );
  if (sentAt !== null)
    return (
      <EmptyState title="No gateway received the last ping">
        It was sent <LongDate at={sentAt} />. No other gateway received it.
      </EmptyState>
    );
  return (
    <EmptyState title="No data to show">
      Either no discovery ping has been emitted yet, or the ping feature is disabled in the application server, or the
      ping was not received by other gateways.
    </EmptyState>
  );
}

/** Why the map shows an older ping than the last attempt. */
function LaterAttempt({ found: { outcome, triedAt } }: { found: Discovery }) {
  const why = whyNoPing(outcome);
  return (
    why !== undefined && (
      <Alert variant="default" icon={<IconAlertTriangle color="var(--state-attention)" />}>
        A later ping was not sent (<LongDate at={triedAt} />
        ). {why}
      </Alert>
    )
  );
}

function PingMap({ gateway, found }: { gateway: Gateway; found: Discovery }) {
  const { points, lines, popups } = useMemo(() => mapOf(gateway, found), [gateway, found]);
  return (
    <WorldMap
      label="Map of the gateways that received the last ping"
      height={800}
      points={points}
      lines={lines}
      legend={<Legend />}
      popupOf={({ id }) => (
        <Stack gap={0}>
          {popups.get(id)?.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </Stack>
      )}
    />
  );
}

function mapOf(gateway: Gateway, { frequency, dr, sentAt, receivers }: Discovery) {
  const { latitude = 0, longitude = 0, altitude = 0 } = gateway.location ?? {};
  const sender: MapPoint = { id: gateway.id, label: gateway.name, latitude, longitude };
  const receiverPoints = receivers.map(
    (one): MapPoint => ({
      id: one.gatewayID,
      label: one.name || one.gatewayID,
      latitude: one.latitude,
      longitude: one.longitude,
      tone: 'active',
    }),
  );
  const popups = new Map<string, string[]>([
    [
      gateway.id,
      [
        ...[gateway.name, gateway.id, `Sent: ${sentAt ? formatLong(sentAt) : ''}`],
        ...[`Freq: ${frequency / 1e6} MHz`, `DR: ${dr}`, `Altitude: ${altitude} meter(s)`],
      ],
    ],
    ...receivers.map((one): [string, string[]] => [
      one.gatewayID,
      [
        ...(one.name ? [one.name] : []),
        ...[
          one.gatewayID,
          `RSSI: ${formatRSSI(one.rssi)} dBm`,
          `SNR: ${formatSNR(one.loRaSNR)} dB`,
          `Altitude: ${one.altitude} meter(s)`,
        ],
      ],
    ]),
  ]);
  const lines = receivers.map((one) => ({ from: sender, to: one, color: colorOfRssi(one.rssi) }));
  return { points: [sender, ...receiverPoints], lines, popups };
}

function Legend() {
  const bands = [...rssiBands.map(({ from, color }) => [`≥ ${from} dBm`, color]), ['< -120 dBm', weakestColor]];
  return bands.map(([text, color]) => (
    <div key={text} className={classes.legend}>
      <span className={classes.band} style={{ background: color }} />
      {text}
    </div>
  ));
}
