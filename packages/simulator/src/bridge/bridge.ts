/**
 * A gateway with ChirpStack Gateway Bridge: publishes its uplinks, sends downlinks and reports their result. Its broker
 * publishes the will when the connection ends.
 */
import {
  type BridgeFormat,
  bridgeGateway,
  bridgeTopic,
  readBridgeTopic,
  txAckStatusOf,
  txpkOf,
  uplinksOf,
  usualFormat,
} from '@hilltop/gateway-protocols';
import { gpsTimeOf } from '@hilltop/lorawan';
import { connect, type IClientOptions } from 'mqtt';
import { type Clock, systemClock } from '../clock.ts';
import { type Downlink, type Gateway, lateness } from '../gateway.ts';
import { createInbox } from '../inbox.ts';
import type { Position } from '../radio.ts';
import { rxpkOf } from '../rxpk.ts';

export interface BridgeOptions {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  server: string;
  gatewayID: string;
  /** The default is version 3 in protobuf. */
  format?: BridgeFormat;
  /** The text before `gateway/…`; version 4 uses it for the region. */
  prefix?: string;
  /** Password, certificate and trusted authorities, in the form of mqtt.js. */
  connection?: Pick<IClientOptions, 'username' | 'password' | 'ca' | 'cert' | 'key'>;
  qos?: 0 | 1;
  position?: Position;
  /** The metadata in its reports. */
  metaData?: Readonly<Record<string, string>>;
  /** Time between statistics; 0 sends none automatically. */
  statIntervalMs?: number;
  clock?: Clock;
}

export interface BridgeCounts {
  uplinks: number;
  acknowledged: number;
  downlinks: number;
  emitted: number;
}

/** A gateway of a simulated network. */
export interface Bridge
  extends Pick<
      Gateway,
      'gatewayID' | 'position' | 'hear' | 'onDownlink' | 'nextDownlink' | 'concentratorTime' | 'sendStat' | 'stop'
    >,
    AsyncDisposable {
  readonly counts: Readonly<BridgeCounts>;
  /** Resolves when it has subscribed to its commands; rejects when the broker refuses it. */
  online(): Promise<void>;
  /** The version of the last configuration; '' before the first. */
  configVersion(): string;
  /** Any payload on any topic, for tests of bad input. */
  sendRaw(topic: string, payload: Uint8Array): Promise<void>;
}

const wrap = 2 ** 32;

export function startBridge(options: BridgeOptions): Bridge {
  const { gatewayID, format = usualFormat, prefix = '', position = null, qos = 1, statIntervalMs = 30_000 } = options;
  const clock = options.clock ?? systemClock;
  const id = Uint8Array.fromHex(gatewayID);
  const counts: BridgeCounts = { uplinks: 0, acknowledged: 0, downlinks: 0, emitted: 0 };
  const listeners = new Set<(downlink: Downlink) => void>();
  const inbox = createInbox<Downlink>(clock, `gateway ${gatewayID} got no downlink`);
  const firstTime = Promise.withResolvers<void>();
  firstTime.promise.catch(() => undefined);
  let reported = { ...counts };
  let configVersion = '';
  let isStopped = false;
  let cancelStats = () => {};

  const topic = (part: 'event' | 'state' | 'command', name: string) => bridgeTopic({ prefix, gatewayID, part, name });
  const state = (to: 'ONLINE' | 'OFFLINE') =>
    Buffer.from(bridgeGateway.connState(format, { gatewayID: id, state: to }));
  const client = connect(options.server, {
    ...options.connection,
    clientId: `bridge-${gatewayID}`,
    protocolVersion: 4,
    reconnectPeriod: 1000,
    will: { topic: topic('state', 'conn'), payload: state('OFFLINE'), qos, retain: true },
  });
  client.on('error', (error) => firstTime.reject(error));
  client.on('connect', () => {
    client.subscribe(`${prefix === '' ? '' : `${prefix}/`}gateway/${gatewayID}/command/#`, { qos }, (error) => {
      if (error) return firstTime.reject(error);
      client.publish(topic('state', 'conn'), state('ONLINE'), { qos, retain: true }, () => firstTime.resolve());
    });
  });
  client.on('message', (text, payload) => {
    const { name } = readBridgeTopic(text) ?? {};
    if (name === 'down') transmit(payload);
    else if (name === 'config') configVersion = bridgeGateway.readConfiguration(gatewayID, payload).version;
  });

  async function publish(name: string, payload: Uint8Array): Promise<boolean> {
    if (isStopped) return false;
    return client.publishAsync(topic('event', name), Buffer.from(payload), { qos }).then(
      () => true,
      () => false,
    );
  }

  function concentratorTime(): number {
    return Math.floor(clock.monotonicMs() * 1000) % wrap;
  }

  /** Sends the first item that is on time and ignores the others. */
  function transmit(payload: Uint8Array): void {
    const { downlinkID, token, items } = bridgeGateway.readDownlink(gatewayID, payload);
    counts.downlinks += 1;
    const tried: Omit<Downlink, 'token'>[] = [];
    for (const item of items) {
      const txpk = txpkOf(item);
      const refusal = lateness(txpk, concentratorTime(), gpsTimeOf(clock.now()));
      tried.push({ txpk, phyPayload: item.phyPayload, refusal });
      if (refusal === '') break;
    }
    const statuses = items.map((_, at) => (tried[at] ? txAckStatusOf({ error: tried[at].refusal }) : 'IGNORED'));
    const ack = { gatewayID: id, downlinkID, token, items: statuses.map((status) => ({ status })) };
    void publish('ack', bridgeGateway.txAck(format, ack));
    const last = tried.at(-1);
    if (!last) return;
    const downlink = { token, ...last };
    if (downlink.refusal === '') {
      counts.emitted += 1;
      for (const listener of listeners) listener(downlink);
    }
    inbox.put(downlink);
  }

  function sendStat(): Promise<boolean> {
    const since = reported;
    reported = { ...counts };
    const received = counts.uplinks - since.uplinks;
    const { latitude = 0, longitude = 0, altitude = 0 } = position ?? {};
    return publish(
      'stats',
      bridgeGateway.stats(format, {
        gatewayID: id,
        time: clock.now(),
        location: { latitude, longitude, altitude, source: 'GPS' },
        configVersion,
        rxPacketsReceived: received,
        rxPacketsReceivedOK: received,
        txPacketsReceived: counts.downlinks - since.downlinks,
        txPacketsEmitted: counts.emitted - since.emitted,
        metaData: { ...options.metaData },
      }),
    );
  }

  function reportOnAndOn(): void {
    if (statIntervalMs <= 0) return;
    cancelStats = clock.after(statIntervalMs, () => {
      void sendStat();
      reportOnAndOn();
    });
  }

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    cancelStats();
    inbox.close();
    await client.endAsync(true);
  }

  reportOnAndOn();
  return {
    gatewayID,
    position,
    counts,
    online: () => firstTime.promise,
    configVersion: () => configVersion,
    hear(transmission, signal = { rssi: -60, snr: 9 }) {
      const tmst = concentratorTime();
      const rxpk = [rxpkOf(transmission, signal, { tmst, time: clock.now() })];
      const { frames } = uplinksOf({ type: 'PUSH_DATA', version: 2, token: 0, gatewayID, rxpk, stat: undefined });
      counts.uplinks += 1;
      const acknowledged = publish('up', bridgeGateway.uplink(format, frames[0]!)).then((isTaken) => {
        if (isTaken) counts.acknowledged += 1;
        return isTaken;
      });
      return { token: 0, tmst, acknowledged };
    },
    sendStat,
    onDownlink(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nextDownlink: (timeoutMs = 5000) => inbox.take(timeoutMs),
    sendRaw: async (to, payload) => void (await client.publishAsync(to, Buffer.from(payload), { qos })),
    concentratorTime,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
