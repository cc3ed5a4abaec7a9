import type { Gateway, Operations, ResponseOf } from '@hilltop/contract';
import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { query } from '../../api/queries.ts';
import { WorldMap } from '../../components/map/map.tsx';
import type { MapPoint } from '../../components/map/map-point.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { EmptyState } from '../../components/states/states.tsx';
import classes from './gateway.module.css';
import { colorOfRssi, rssiBands, weakestColor } from './rssi-bands.ts';
import { useGateway } from './use-gateway.ts';

type Ping = ResponseOf<Operations['gateway']['getLastPing']>;

export function GatewayDiscovery() {
  return <Loaded query={useGateway()}>{({ gateway }) => <LastPing gateway={gateway} />}</Loaded>;
}

function LastPing({ gateway }: { gateway: Gateway }) {
  const ping = useQuery(query('gateway', 'getLastPing', { gatewayID: gateway.id }));
  if (ping.error instanceof ApiError && ping.error.code === 5) return <NoPing gateway={gateway} />;
  return (
    <Loaded query={ping} skeleton={<Skeleton height={800} />}>
      {(data) => (data.pingRX.length === 0 ? <NoPing gateway={gateway} /> : <PingMap gateway={gateway} ping={data} />)}
    </Loaded>
  );
}

function NoPing({ gateway }: { gateway: Gateway }) {
  if (gateway.metadata['link'] === 'basics-station')
    return (
      <EmptyState title="This gateway sends no pings">
        It is connected by LoRa Basics Station, which sends only what devices can hear. It receives the pings of other
        gateways, and is shown on their maps.
      </EmptyState>
    );
  return (
    <EmptyState title="No data to show">
      Either no discovery ping has been emitted yet, or the ping feature is disabled in the application server, or the
      ping was not received by other gateways.
    </EmptyState>
  );
}

function PingMap({ gateway, ping }: { gateway: Gateway; ping: Ping }) {
  const { points, lines, popups } = useMemo(() => mapOf(gateway, ping), [gateway, ping]);
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

function mapOf(gateway: Gateway, { frequency, dr, pingRX }: Ping) {
  const { latitude = 0, longitude = 0, altitude = 0 } = gateway.location ?? {};
  const sender: MapPoint = { id: gateway.id, label: gateway.name, latitude, longitude };
  const receivers = pingRX.map(
    (one): MapPoint => ({
      id: one.gatewayID,
      label: one.gatewayID,
      latitude: one.latitude,
      longitude: one.longitude,
      tone: 'active',
    }),
  );
  const popups = new Map<string, string[]>([
    [gateway.id, [gateway.id, `Freq: ${frequency / 1e6} MHz`, `DR: ${dr}`, `Altitude: ${altitude} meter(s)`]],
    ...pingRX.map((one): [string, string[]] => [
      one.gatewayID,
      [one.gatewayID, `RSSI: ${one.rssi} dBm`, `SNR: ${one.loRaSNR} dB`, `Altitude: ${one.altitude} meter(s)`],
    ]),
  ]);
  const lines = pingRX.map((one) => ({ from: sender, to: one, color: colorOfRssi(one.rssi) }));
  return { points: [sender, ...receivers], lines, popups };
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
