/**
 * A simulated field around real servers: gateways that send datagrams, devices with real keys, API clients with event
 * streams, and a ledger that records everything the servers sent to them.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, loadClient } from '@hilltop/contract/client';
import { cryptFRMPayload, decodeFrame, isDataFrame, type SessionKeys } from '@hilltop/lorawan';
import {
  createDevice,
  createNetwork,
  type Device,
  type Gateway,
  type Random,
  type SimulatedNetwork,
  startGateway,
} from '@hilltop/simulator';
import { type Hilltop, startHilltop } from '../../e2e/hilltop.ts';
import { type BaseRecords, createBaseRecords, forEach, numbered } from '../driver/base-records.ts';
import { openEventSockets } from '../driver/event-sockets.ts';
import { deviceOf, rootKey } from '../driver/fleet.ts';
import { settled } from '../driver/pace.ts';
import { EventWatch } from './event-watch.ts';
import { createLedger, type Ledger, type Verdict } from './ledger.ts';

/** How gateways and clients reach one or several servers. */
export interface ServerAccess {
  /** The URL of a server that is ready now. */
  url(): string;
  /** UDP ports of the servers; the gateways are distributed over them round-robin. */
  udpPorts: readonly number[];
  email: string;
  password: string;
}

export interface Field extends AsyncDisposable {
  client: Client;
  ground: BaseRecords;
  ledger: Ledger;
  network: SimulatedNetwork;
  gateways: Gateway[];
  /** ABP devices of LoRaWAN 1.0 and 1.1, and OTAA devices. */
  devices: Device[];
  joining: ReadonlySet<Device>;
  random: Random;
  /** Signs in again after the session has ended. */
  signIn(): Promise<void>;
  /** Replaces the open event streams by streams of the first `some` devices, or of all. Retries for 30 s. */
  watch(some?: number): Promise<void>;
  /** The URL of the server of the streams; undefined unless all are open. */
  watchedAt(): string | undefined;
  /** Closes the event streams. */
  unwatch(): void;
  /** Resolves when a stream has shown each acknowledged uplink, or when no event arrived for `patienceMs`. */
  settle(patienceMs: number): Promise<void>;
  /** Number of stored uplinks that a new stream of the device starts with. */
  keptUplinks(device: Device): Promise<number>;
  /** Settles, reads all stored events and device queues again, and resolves with the verdict of the ledger. */
  audit(patienceMs: number): Promise<Verdict>;
}

/** A field with one server. */
export interface ServerField extends Field {
  hilltop: Hilltop;
  /** Kills the server process. */
  kill(): Promise<void>;
}

export interface FieldOptions {
  settings?: Record<string, string>;
  devices: number;
  random: Random;
  /** Probability that a TX_ACK is lost, and that a gateway refuses a downlink, 0 to 1. */
  lostAcks?: number;
  refusals?: number;
}

const gatewaysInReach = 3;
/** Time for the acknowledgements and events of the last uplinks. */
const answersUnderWayMs = 1000;
/** Settings with which a new stream starts with all events of a run. */
export const history = { HILLTOP_EVENT_HISTORY: '10000' };

export async function openField(options: FieldOptions): Promise<ServerField> {
  const hilltop = await startHilltop({ ...history, ...options.settings });
  const { url, udpPort, email, password } = hilltop;
  try {
    const field = await provisionField({ url: () => url, udpPorts: [udpPort], email, password }, options);
    return {
      ...field,
      hilltop,
      async kill() {
        field.unwatch();
        await hilltop.stop('SIGKILL');
      },
      async [Symbol.asyncDispose]() {
        await field[Symbol.asyncDispose]();
        await hilltop.remove();
      },
    };
  } catch (error) {
    await hilltop.remove();
    throw error;
  }
}

/** Provisions empty servers and starts gateways and devices. */
export async function provisionField(site: ServerAccess, options: FieldOptions): Promise<Field> {
  const { random } = options;
  const stack = new AsyncDisposableStack();
  try {
    let token = '';
    const there = (path: unknown, init?: RequestInit) => fetch(`${site.url()}${path as string}`, init);
    const client = loadClient({ fetch: there, baseURL: '', token: () => token || null });
    async function signIn(): Promise<void> {
      const { email, password } = site;
      token = (await client.internal.login({ email, password })).jwt;
    }
    await signIn();
    const ground = await createBaseRecords(client);
    const devices = await provision(client, ground, options);
    const joining = new Set(devices.filter(({ session }) => session === null));
    const ledger = createLedger();
    const sessions = new Map<string, Session>();
    const note = (device: Device) => {
      if (device.session) sessions.set(device.session.devAddr, { ...device.session });
    };
    devices.forEach(note);

    const onDownlink = (bytes: Uint8Array) => readDownlink(ledger, sessions, bytes);
    const gateways = await startGateways(site.udpPorts, ground.gatewayIDs, options, onDownlink);
    for (const gateway of gateways) stack.use(gateway);
    await Promise.all(gateways.map((gateway) => gateway.online()));
    const network = createNetwork({ gateways, random, onReceived: note });
    stack.defer(() => network.stop());

    const watch = new EventWatch({ client, site, devices, ledger, token: () => token });
    stack.defer(() => watch.close());
    const field: Field = {
      client,
      signIn,
      ground,
      ledger,
      network,
      gateways,
      devices,
      joining,
      random,
      watch: (some) => watch.open(some),
      watchedAt: () => watch.openAt(),
      unwatch: () => watch.close(),
      async settle(patienceMs) {
        await delay(answersUnderWayMs);
        await settled(0, () => -ledger.waiting(), patienceMs);
      },
      async keptUplinks({ devEUI }) {
        const path = await client.device.streamEventLogs.path({ devEUI });
        let found = 0;
        const onEvent = (_index: number, text: string) => (found += text.includes('"type":"up"') ? 1 : 0);
        using _socket = await openEventSockets({ url: site.url(), token, paths: [path], onEvent });
        await delay(answersUnderWayMs);
        return found;
      },
      async audit(patienceMs) {
        await field.watch();
        await field.settle(patienceMs);
        field.unwatch();
        ledger.showAgain();
        await field.watch();
        await settled(0, () => -ledger.verdict().forgotten);
        for (const { devEUI } of devices) {
          const { deviceQueueItems } = await client.deviceQueue.list({ devEUI });
          for (const { data } of deviceQueueItems) ledger.itemFound(data ?? '');
        }
        return ledger.verdict();
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
    await joinAll(field);
    return field;
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Gateways that lose TX_ACKs and refuse downlinks at random. */
async function startGateways(
  udpPorts: readonly number[],
  gatewayIDs: readonly string[],
  { random, lostAcks = 0, refusals = 0 }: FieldOptions,
  onDownlink: (phyPayload: Uint8Array) => void,
): Promise<Gateway[]> {
  const txAck = ({ data }: { data: string }) => {
    onDownlink(Uint8Array.fromBase64(data));
    const chance = random();
    if (chance < refusals) return 'TOO_LATE';
    return chance < refusals + lostAcks ? null : '';
  };
  const serverOf = (nth: number) => `127.0.0.1:${udpPorts[nth % udpPorts.length]}`;
  return Promise.all(
    gatewayIDs
      .slice(0, gatewaysInReach)
      .map((gatewayID, nth) => startGateway({ server: serverOf(nth), gatewayID, random, txAck, keepaliveMs: 500 })),
  );
}

type Session = { version: '1.0' | '1.1'; keys: SessionKeys };

/** Records the downlink counter that a frame uses and the queue item that it carries. */
function readDownlink(ledger: Ledger, sessions: ReadonlyMap<string, Session>, phyPayload: Uint8Array): void {
  const frame = decodeFrame(phyPayload);
  if (!isDataFrame(frame)) return;
  const session = sessions.get(frame.devAddr);
  if (!session) return;
  const { fCnt, fPort, devAddr } = frame;
  const isData = fPort !== null && fPort > 0;
  const kind = session.version === '1.1' && isData ? 'aFCntDown' : 'nFCntDown';
  ledger.downlink(`${session.keys.nwkSEncKey.toHex()}/${kind}/${fCnt}`, phyPayload);
  if (!isData) return;
  const clear = cryptFRMPayload(session.keys.appSKey, { devAddr, fCnt, direction: 'down' }, frame.frmPayload);
  ledger.itemFound(clear.toBase64());
}

async function provision(
  client: Client,
  ground: BaseRecords,
  { devices: count, random }: FieldOptions,
): Promise<Device[]> {
  const profile11 = await profileOf11(client, ground);
  const devices: Device[] = [];
  await forEach(count, async (index) => {
    const devEUI = numbered('fa', index, 16);
    const common = { devEUI, region: 'EU868', adr: false, random } as const;
    if (index % 3 === 2) {
      await client.device.create({ device: deviceOf(devEUI, ground, ground.profiles.joining) });
      await client.device.createKeys({ deviceKeys: { devEUI, nwkKey: rootKey(index) } });
      devices[index] = createDevice({ ...common, nwkKey: rootKey(index), devNonce: 0 });
      return;
    }
    const is11 = index % 3 === 1;
    const devAddr = numbered('00', index + 1, 8);
    const appSKey = numbered('a1', index, 32);
    const network = is11
      ? {
          fNwkSIntKey: numbered('b1', index, 32),
          sNwkSIntKey: numbered('c1', index, 32),
          nwkSEncKey: numbered('d1', index, 32),
        }
      : {
          fNwkSIntKey: numbered('b0', index, 32),
          sNwkSIntKey: numbered('b0', index, 32),
          nwkSEncKey: numbered('b0', index, 32),
        };
    const keys = { appSKey, ...network };
    await client.device.create({
      device: deviceOf(devEUI, ground, is11 ? profile11 : ground.profiles.personalized),
    });
    await client.device.activate({
      deviceActivation: { devEUI, devAddr, ...keys, fCntUp: 0, nFCntDown: 0, aFCntDown: 0 },
    });
    const macVersion = is11 ? '1.1.0' : '1.0.3';
    devices[index] = createDevice({ ...common, macVersion, session: { devAddr, keys, dataRate: 5 } });
  });
  return devices;
}

async function profileOf11(client: Client, ground: BaseRecords): Promise<string> {
  const { deviceProfile } = await client.deviceProfile.get({ id: ground.profiles.personalized });
  const { id } = await client.deviceProfile.create({
    deviceProfile: { ...deviceProfile, id: '', name: 'bench-abp-1.1', macVersion: '1.1.0', regParamsRevision: 'B' },
  });
  return id;
}

async function joinAll({ devices, network }: Field): Promise<void> {
  await Promise.all(
    devices.map(async (device) => {
      for (let tries = 0; !device.session && tries < 5; tries += 1) await network.join(device, { dataRate: 5 });
      if (!device.session) throw new Error(`The device ${device.devEUI} could not join.`);
    }),
  );
}
