import { createErrorBoundary, type ErrorBoundary } from '@hilltop/network-server';
import { as, create } from '@hilltop/protobuf';
import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { enact } from '../events/effect.ts';
import { buildEvent, type EventType } from '../events/event.ts';
import { onGatewayStats } from '../events/gateway-stats.ts';
import type { TestApp } from './test-app.ts';

/** The settings of a test app whose broker listens on free ports. */
export const brokerSettings = { mqtt: '127.0.0.1:0', mqtts: '127.0.0.1:0' };

export interface TestMessage {
  topic: string;
  payload: string;
  qos: number;
}

/** The limit of a wait for something that never comes; even a slow machine is far below it. */
const patienceMs = 60_000;

/** A client of mqtt.js that does not reconnect and stores the messages it received. */
export interface Subscriber extends AsyncDisposable {
  client: MqttClient;
  /** The next message; rejects when the connection closes instead, or none comes within a minute. */
  next: () => Promise<TestMessage>;
  /** Resolves when the connection is over. */
  closed: Promise<void>;
}

/** Rejects as mqtt.js does when the server refuses, with the code of the CONNACK as `code`. */
export async function connectMQTT(url: string, options: IClientOptions = {}): Promise<Subscriber> {
  const client = connect(url, { reconnectPeriod: 0, connectTimeout: patienceMs, protocolVersion: 4, ...options });
  const received: TestMessage[] = [];
  const waiting: ((message: TestMessage) => void)[] = [];
  client.on('message', (topic, payload, { qos }) => {
    const message = { topic, payload: payload.toString(), qos };
    const first = waiting.shift();
    if (first) first(message);
    else received.push(message);
  });
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  try {
    await new Promise<void>((resolve, reject) => {
      client.once('connect', () => resolve());
      client.once('error', reject);
      client.once('close', () => reject(new Error('The connection was closed.')));
    });
  } catch (error) {
    client.end(true);
    throw error;
  }
  client.on('error', () => undefined);
  return {
    client,
    closed,
    next: () => {
      const first = received.shift();
      if (first) return Promise.resolve(first);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('No message within a minute.')), patienceMs);
        waiting.push((message) => {
          clearTimeout(timer);
          resolve(message);
        });
        void closed.then(() => reject(new Error('The connection was closed.')));
      });
    },
    [Symbol.asyncDispose]: async () => {
      client.end(true);
      await closed;
    },
  };
}

/** The filters that were granted, each with its quality of service; 128 for a refusal. */
export function subscribe(client: MqttClient, filters: string | string[], qos: 0 | 1 | 2 = 0): Promise<number[]> {
  return new Promise((resolve, reject) => {
    client.subscribe(filters, { qos }, (error, _granted, packet) => {
      if (packet) resolve(packet.granted as number[]);
      else reject(error ?? new Error('No answer.'));
    });
  });
}

export const urlOf = (app: TestApp, transport: 'tcp' | 'tls' = 'tcp') =>
  transport === 'tcp'
    ? `mqtt://127.0.0.1:${app.parts.mqtt?.ports().tcp}`
    : `mqtts://127.0.0.1:${app.parts.mqtt?.ports().tls}`;

/** Records an event of a device, as its network server would. */
export async function happen<T extends EventType>(
  { parts: { database, devices, recorder, clock } }: TestApp,
  devEUI: string,
  type: T,
  details: Parameters<typeof buildEvent<T>>[3],
): Promise<void> {
  const device = await devices.of(devEUI);
  const at = clock.now();
  const effect = recorder.record({ about: type, devEUI, at, events: [buildEvent(type, device!, at, details)] });
  await database.commit({ run: () => effect.write().then(() => true) });
}

/** Handles statistics of a gateway, as its network server would. */
export async function reportStats({ parts }: TestApp, gatewayID: string, rxPacketsReceived = 1): Promise<void> {
  const request = create(as.HandleGatewayStatsRequest, { gatewayId: Uint8Array.fromHex(gatewayID), rxPacketsReceived });
  const effect = await onGatewayStats(parts, request);
  await parts.database.commit({ run: () => enact(effect).then(() => true) });
}

/** Records that a gateway was missed, and that it came back. */
export async function goOfflineAndOnline({ parts }: TestApp, gatewayID: string): Promise<void> {
  const { database, gatewayEvents, clock } = parts;
  const at = clock.now();
  await database.transaction(async () => {
    await gatewayEvents.recordTransition({ gatewayID, state: 'OFFLINE', at, reason: 'no PULL_DATA for 90 s' });
    await gatewayEvents.recordTransition({ gatewayID, state: 'ONLINE', at, reason: '', offlineSince: at });
  });
}

/** An error boundary that reports the errors of handlers. */
export const testBoundary = (onFailure: (error: unknown) => void = () => undefined): ErrorBoundary =>
  createErrorBoundary('mqtt', {
    count: () => undefined,
    log: { debug: () => undefined, error: ({ err }: { err?: unknown }) => onFailure(err) },
  });
