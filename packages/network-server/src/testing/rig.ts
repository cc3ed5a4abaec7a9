/** A network server whose time, gateways, application and join server a test controls; devices are simulated. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePacket, encodePacket, uplinksOf } from '@hilltop/gateway-protocols';
import {
  cryptFRMPayload,
  dataMic,
  decodeFrame,
  encodeFrame,
  encodeMacCommands,
  type JoinRequestFrame,
  macCommand,
  rejoinRequestMic,
} from '@hilltop/lorawan';
import { create, gw, ns, toJsonText } from '@hilltop/protobuf';
import { createDevice, type Device, rxpkOf, seededRandom, type Transmission } from '@hilltop/simulator';
import { createGatewayPaths, type GatewayPath } from '../gateways/paths.ts';
import { DutyCycleUse } from '../network/duty-cycle-use.ts';
import type { FrameLogEntry } from '../network/frame-log.ts';
import type { Clock, Count, LogFields } from '../platform/runtime.ts';
import type { CrossInstanceDeduplication } from '../ports/cross-instance-deduplication.ts';
import { createNetworkServer, type NetworkServer } from '../server/network-server.ts';
import type { QueueOptions } from '../service/queue.ts';
import type { Settings } from '../settings/settings.ts';
import type { Effect } from '../state/effect.ts';
import { createInMemoryState } from '../state/in-memory.ts';
import type { State } from '../state/state.ts';
import { createFakeAirtime } from './fake-airtime.ts';
import { createFakeApplication } from './fake-application.ts';
import { createFakeClock } from './fake-clock.ts';
import { createFakeJoinServer } from './fake-join-server.ts';

export interface RigOptions {
  region?: string;
  netID?: string;
  settings?: Partial<Settings>;
  macVersion?: string;
  deviceProfile?: Parameters<typeof create<typeof ns.DeviceProfile>>[1];
  serviceProfile?: Parameters<typeof create<typeof ns.ServiceProfile>>[1];
  device?: Parameters<typeof create<typeof ns.Device>>[1];
  /** Opens the state for each run of the server; in memory if absent. `apply` gets effects that are on disk. */
  openState?: (apply: (effect: Effect) => void) => State;
  /** The deduplication that each run of the server shares with other processes. */
  copies?: () => CrossInstanceDeduplication;
}

export const gatewayIDs = ['0a00000000000001', '0a00000000000002'] as const;
export const devEUI = '0102030405060708';
export const joinEUI = '70b3d57ed0000001';
const id = (digit: number) => new Uint8Array(16).fill(digit);
const profileIDs = { device: id(1), service: id(2), routing: id(3) };
const nwkKey = new Uint8Array(16).fill(0x11);
const appKey = new Uint8Array(16).fill(0x22);
const noKeys = { nwkSKey: nwkKey, appSKey: appKey };

/** What happens to the server at a commit: it continues, or is killed before the unit or right after it is on disk. */
export type Fate = 'lives' | 'dies before' | 'dies after';

/** One server process. */
interface Life {
  readonly isOver: boolean;
  readonly over: Promise<void>;
  end(): void;
}

function createLife(): Life {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  return {
    get isOver() {
      return isOver;
    },
    over: promise,
    end() {
      isOver = true;
      resolve();
    },
  };
}

/**
 * Counts the unanswered calls of a state: with a real database answers take more than one iteration of the event loop.
 */
function createCalls() {
  let unanswered = 0;
  const counted = <Answer>(call: (...given: unknown[]) => Answer | Promise<Answer>) =>
    ((...given: unknown[]) => {
      const answer = call(...given);
      if (!(answer instanceof Promise)) return answer;
      unanswered += 1;
      return answer.finally(() => (unanswered -= 1));
    }) as typeof call;
  return {
    counted: (state: State) =>
      Object.fromEntries(Object.entries(state).map(([name, call]) => [name, counted(call)])) as unknown as State,
    settled: async () => {
      do await nextTurn();
      while (unanswered > 0);
    },
  };
}

const abandonedAfterMs = 2000;
const forever = () => new Promise<never>(() => undefined);

export type Rig = Awaited<ReturnType<typeof createRig>>;

/** One device (`devEUI`) with root keys and two gateways, all registered. */
export async function createRig(options: RigOptions = {}) {
  const { region = 'EU868', macVersion = '1.0.3' } = options;
  const calls = createCalls();
  const clock = createFakeClock(undefined, calls.settled);
  const startedAt = clock.now().getTime();
  const application = createFakeApplication();
  const apply = (effect: Effect) => application.apply(effect);
  const inMemory = createInMemoryState({ apply });
  const open = () => calls.counted(options.openState?.(apply) ?? inMemory);
  const memory = open();
  const counts = new Map<string, number>();
  const count: Count = (name, labels = {}, by = 1) => {
    const key = [name, ...Object.values(labels)].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + by);
  };
  const receivedAt = new Map<number, number>();
  const notedFailures: unknown[] = [];
  const errors: { fields: LogFields; text: string }[] = [];
  let isSlow = false;
  let isAway = false;
  const away = new Error('The storage is away.');
  let nextReceipt: Promise<void> | undefined;
  let fateOf: () => Fate = () => 'lives';
  let life = createLife();
  /** The memory survives the server; calls of a killed one never return. */
  async function write<T>(own: Life, work: () => Promise<T>): Promise<T> {
    if (isSlow) await nextTurn();
    const fate = fateOf();
    if (fate === 'dies before') own.end();
    if (own.isOver) return forever();
    if (isAway) throw away;
    const done = await work();
    if (fate === 'dies after') own.end();
    return own.isOver ? forever() : done;
  }
  const stateOf = (own: Life, stored = open()): State => ({
    ...stored,
    commit: (unit) => write(own, () => stored.commit(unit)),
    claimDue: (claim) => {
      count('reads', { what: 'claimDue' });
      return write(own, () => stored.claimDue(claim));
    },
    onDue: (listen) => stored.onDue((...notice) => !own.isOver && listen(...notice)),
    receive: async (copies) => {
      if (isAway) throw away;
      const held = nextReceipt;
      nextReceipt = undefined;
      await held;
      const ids = await stored.receive(copies);
      for (const id of ids) receivedAt.set(id, clock.monotonicMs());
      return ids;
    },
    abandoned: async (after, most, ours) => {
      const isOld = (id: number) => clock.monotonicMs() - (receivedAt.get(id) ?? 0) > abandonedAfterMs;
      const isFree = (id: number) => isOld(id) || ours.left.includes(id);
      return (await stored.abandoned(after, most, ours)).filter(({ id }) => isFree(id));
    },
    isStorageFailure: (error) => error === away,
    noteFailure: (error) => void notedFailures.push(error),
    sessionsByDevAddr: async (devAddr) => {
      count('reads', { what: 'sessionsByDevAddr' });
      return stored.sessionsByDevAddr(devAddr);
    },
    sessions: async (of) => {
      count('reads', { what: 'sessions' });
      return stored.sessions(of);
    },
    unfinishedBeginning: async (beginnings) => {
      count('reads', { what: 'unfinishedBeginning' });
      return stored.unfinishedBeginning(beginnings);
    },
  });
  const paths = createGatewayPaths();
  const sent: gw.DownlinkFrame[] = [];
  const path: GatewayPath = { link: 'semtech-udp', isProven: false, send: (frame) => sent.push(frame) > 0 };
  const rootKeys = new Map([[devEUI, { nwkKey, appKey }]]);
  const joinServer = createFakeJoinServer(rootKeys);
  const airtimes = createFakeAirtime();
  const dutyCycleUse = new DutyCycleUse(clock);
  let seed = 1;
  const start = (own: Life, ownClock: Clock = clock) =>
    createNetworkServer({
      region,
      netID: options.netID ?? '000013',
      settings: options.settings ?? {},
      state: stateOf(own),
      crossInstance: options.copies?.(),
      applicationServer: application,
      reportDownlink: application.reportDownlink,
      joinReports: application.joinReports,
      airtime: airtimes,
      dutyCycleUse,
      joinServer,
      gateways: {
        ...paths,
        send: (gatewayID, frame, unsent) => !own.isOver && paths.send(gatewayID, frame, unsent),
      },
      clock: ownClock,
      removalTime: async () => startedAt + clock.monotonicMs(),
      random: (length) => Uint8Array.from({ length }, () => (seed = (seed * 48271) % 2147483647) & 0xff),
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: () => undefined,
        error: (fields, text) => void errors.push({ fields, text }),
      },
      count,
    });
  let server = start(life);
  await server.start();

  const { service } = server;
  const supports = { macVersion, regParamsRevision: 'B', supportsJoin: true };
  await service.createDeviceProfile({
    deviceProfile: create(ns.DeviceProfile, { id: profileIDs.device, ...supports, ...options.deviceProfile }),
  });
  await service.createServiceProfile({
    serviceProfile: create(ns.ServiceProfile, {
      id: profileIDs.service,
      drMax: 5,
      addGwMetadata: true,
      ...options.serviceProfile,
    }),
  });
  await service.createRoutingProfile({ routingProfile: create(ns.RoutingProfile, { id: profileIDs.routing }) });
  const profiles = {
    deviceProfileId: profileIDs.device,
    serviceProfileId: profileIDs.service,
    routingProfileId: profileIDs.routing,
  };
  const devEui = Uint8Array.fromHex(devEUI);
  await service.createDevice({ device: create(ns.Device, { devEui, ...profiles, ...options.device }) });
  for (const gatewayID of gatewayIDs) await addGateway(gatewayID);

  async function addGateway(gatewayID: string, gateway: Parameters<typeof create<typeof ns.Gateway>>[1] = {}) {
    const routingProfileId = profileIDs.routing;
    const base = { id: Uint8Array.fromHex(gatewayID), location: {}, routingProfileId };
    await server.service.createGateway({ gateway: create(ns.Gateway, { ...base, ...gateway }) });
    paths.open(gatewayID, path);
  }

  /** The copies of a transmission by one gateway, encoded and decoded by the packet forwarder protocol. */
  function copiesOf(
    transmission: Transmission,
    { gatewayID = gatewayIDs[0] as string, rssi = -60, snr = 8, tmst = 1_000_000 } = {},
  ): gw.UplinkFrame[] {
    const rxpk = [rxpkOf(transmission, { rssi, snr }, { tmst, time: clock.now() })];
    const bytes = encodePacket({ type: 'PUSH_DATA', version: 2, token: 1, gatewayID, rxpk, stat: undefined });
    const packet = decodePacket(bytes);
    return packet.type === 'PUSH_DATA' ? uplinksOf(packet).frames : [];
  }

  async function receiveFrame(
    transmission: Transmission,
    arrived: Parameters<typeof copiesOf>[1] = {},
    by: Pick<NetworkServer, 'receive'> = server,
  ): Promise<void> {
    await by.receive(copiesOf(transmission, arrived));
  }

  /** Starts another process on the same state, with the same gateways. */
  async function companion() {
    const own = createLife();
    let held: (() => void)[] | null = null;
    const after: Clock['after'] = (ms, work) => clock.after(ms, () => (held ? void held.push(work) : work()));
    const other = start(own, { ...clock, after });
    await other.start();
    return {
      ...other,
      die: () => own.end(),
      /** Pauses its timers until it wakes. */
      standStill: () => void (held = []),
      wake() {
        const works = held ?? [];
        held = null;
        for (const work of works) work();
      },
    };
  }

  /** Puts transmissions into the journal, as after a run that ended at once; answers how many. */
  async function journal(transmissions: readonly Transmission[]): Promise<number> {
    const copies = transmissions.flatMap((transmission) => copiesOf(transmission));
    return (await memory.receive(copies.map((copy) => toJsonText(gw.UplinkFrame, copy)))).length;
  }

  /** Receives it and waits until the answer was sent, if there is one; the gateway acknowledges it. */
  async function exchange(transmission: Transmission, arrived: Parameters<typeof receiveFrame>[1] = {}) {
    const before = sent.length;
    await receiveFrame(transmission, arrived);
    await clock.advance(400);
    const frame = sent[before] ?? null;
    if (frame) await acknowledge(frame);
    return frame;
  }

  async function acknowledge(frame: gw.DownlinkFrame, ...statuses: gw.TxAckStatus[]): Promise<void> {
    const items = (statuses.length > 0 ? statuses : (['OK'] as const)).map((status) => ({ status }));
    const { gatewayID, token, downlinkID } = frame;
    await server.transmitted(create(gw.DownlinkTXAck, { gatewayID, token, downlinkID, items }));
  }

  function framesOf(of: string, count: number): Promise<FrameLogEntry[]> {
    return firstOf(server.service.streamFrameLogsForDevice({ devEui: Uint8Array.fromHex(of) }, never), count);
  }

  type Overrides = Partial<Parameters<typeof createDevice>[0]>;

  function device(overrides: Overrides = {}): Device {
    const random = seededRandom(1);
    return createDevice({ devEUI, joinEUI, nwkKey, appKey, macVersion, region, random, adr: false, ...overrides });
  }

  /** A device that has joined and sent no data yet. */
  async function joined(overrides: Overrides = {}): Promise<Device> {
    const joining = device(overrides);
    const accept = await exchange(joining.joinRequest());
    const received = accept && joining.receive(accept.items[0]?.phyPayload ?? new Uint8Array());
    if (received?.kind !== 'joined') throw new Error(`The device did not join: ${JSON.stringify(received)}`);
    return joining;
  }

  /** A device activated by personalisation, with its keys and counters on both sides. */
  async function activated(counters: { fCntUp?: number; nFCntDown?: number } = {}, overrides: Overrides = {}) {
    const devAddr = '26000001';
    const nwkSKey = new Uint8Array(16).fill(5);
    const appSKey = new Uint8Array(16).fill(6);
    application.appSKeys.set(devEUI, appSKey);
    await server.service.activateDevice({
      deviceActivation: create(ns.DeviceActivation, {
        devEui,
        devAddr: Uint8Array.fromHex(devAddr),
        fNwkSIntKey: nwkSKey,
        sNwkSIntKey: nwkSKey,
        nwkSEncKey: nwkSKey,
        ...counters,
      }),
    });
    const { fCntUp = 0, nFCntDown: fCntDown = 0 } = counters;
    return device({ session: { devAddr, keys: { nwkSKey, appSKey }, fCntUp, fCntDown, dataRate: 5 }, ...overrides });
  }

  /** The same device, about to use this frame counter. */
  function sameDeviceAt(of: Device, fCntUp: number, { adr = false, dataRate = 5 } = {}): Device {
    const { devAddr, keys } = of.session ?? { devAddr: '', keys: noKeys };
    return device({ adr, session: { devAddr, keys, fCntUp, dataRate } });
  }

  /** The same device as if it had applied no request of the network, and refuses them. */
  function refusing(of: Device, fCntUp: number): Device {
    const same = sameDeviceAt(of, fCntUp, { adr: true });
    if (fCntUp === 0) return same;
    const answer = macCommand('LinkADRAns', { channelMaskAck: false, dataRateAck: true, powerAck: true });
    const plain = { session: same.session, uplink: same.uplink.bind(same) };
    return Object.assign(same, { uplink: () => withCommands(plain, encodeMacCommands('up', [answer])) });
  }

  /** The next uplink of a 1.0 device with these bytes as FOpts. */
  function withCommands(of: Pick<Device, 'session' | 'uplink'>, fOpts: Uint8Array): Transmission {
    const { fCntUp = 0, keys } = of.session ?? {};
    const transmission = of.uplink({ fPort: 1 });
    const frame = decodeFrame(transmission.phyPayload);
    if (frame.mType !== 'UnconfirmedDataUp' || !keys) throw new Error('This is no data uplink of a session.');
    const phyPayload = encodeFrame({ ...frame, fOpts });
    const { fNwkSIntKey, sNwkSIntKey } = keys;
    const mic = dataMic(phyPayload.subarray(0, -4), { version: '1.0', fNwkSIntKey, sNwkSIntKey, fCnt: fCntUp });
    phyPayload.set(mic, phyPayload.length - 4);
    return { ...transmission, phyPayload };
  }

  /** Another device under the same DevAddr with its own keys. */
  async function addTwin(of: Device): Promise<Device> {
    const twinEUI = '0102030405060709';
    const twinEui = Uint8Array.fromHex(twinEUI);
    const devAddr = of.session?.devAddr ?? '';
    const key = new Uint8Array(16).fill(9);
    await server.service.createDevice({ device: create(ns.Device, { devEui: twinEui, ...profiles }) });
    const keys = { fNwkSIntKey: key, sNwkSIntKey: key, nwkSEncKey: key };
    await server.service.activateDevice({
      deviceActivation: create(ns.DeviceActivation, {
        devEui: twinEui,
        devAddr: Uint8Array.fromHex(devAddr),
        ...keys,
      }),
    });
    return device({ devEUI: twinEUI, session: { devAddr, keys: { nwkSKey: key, appSKey: key }, dataRate: 5 } });
  }

  /** Its next uplink on that channel; uplinks on other channels until then are lost. */
  function uplinkOn(of: Device, frequency: number): Transmission {
    for (;;) {
      const transmission = of.uplink({ fPort: 1 });
      if (transmission.frequency === frequency) return transmission;
    }
  }

  /** A rejoin-request signed under the session of the device. */
  async function rejoinRequest(
    of: Device,
    rejoinType: 0 | 2,
    rjCount: number,
    netID = '000013',
  ): Promise<Transmission> {
    const key = of.session?.keys.sNwkSIntKey ?? new Uint8Array(16);
    const frame = { mType: 'RejoinRequest', major: 0, rejoinType, netID, devEUI, rjCount } as const;
    const phyPayload = encodeFrame({ ...frame, mic: new Uint8Array(4) });
    phyPayload.set(rejoinRequestMic(key, phyPayload.subarray(0, -4)), phyPayload.length - 4);
    return { ...of.joinRequest(), phyPayload };
  }

  async function privateServiceProfile(): Promise<Uint8Array> {
    const serviceProfile = create(ns.ServiceProfile, { gwsPrivate: true });
    return (await server.service.createServiceProfile({ serviceProfile })).id;
  }

  async function enqueue(
    text: string,
    { fPort = 10, confirmed = false, ...options }: { fPort?: number; confirmed?: boolean } & Partial<QueueOptions> = {},
  ): Promise<number> {
    // A client whose server was killed does not continue with the next one.
    const current = server;
    const { service } = current;
    const { fCnt } = await service.getNextDownlinkFCntForDevEUI({ devEui });
    const { deviceActivation } = await service.getDeviceActivation({ devEui });
    const devAddr = deviceActivation?.devAddr ?? new Uint8Array();
    const data = new TextEncoder().encode(text);
    const appSKey = (await memory.sessions(devEUI)).current?.keys.appSKey?.aesKey;
    const frmPayload = appSKey
      ? cryptFRMPayload(appSKey, { devAddr: devAddr.toHex(), fCnt, direction: 'down' }, data)
      : application.encrypt(devEUI, devAddr.toHex(), fCnt, data);
    const item = { devEui, devAddr, fCnt, fPort, frmPayload, confirmed };
    const { id, expiresAt } = options;
    if (id === undefined) await service.createDeviceQueueItem({ item });
    else await current.enqueue(devEUI, async () => ({ item, effects: [] }), { id, expiresAt });
    return fCnt;
  }

  const flush = () => server.service.flushDeviceQueueForDevEUI({ devEui });

  return {
    clock,
    application,
    airtimes,
    dutyCycleUse,
    state: memory,
    connectGateways: () => gatewayIDs.forEach((gatewayID) => paths.open(gatewayID, path)),
    /** Another link gets the path of the first gateway. */
    openPath(other: GatewayPath) {
      paths.close(gatewayIDs[0], path);
      paths.open(gatewayIDs[0], other);
    },
    /** Closes the paths of all gateways. */
    disconnectGateways: () => gatewayIDs.forEach((gatewayID) => paths.close(gatewayID, path)),
    /** Writes fail until `comeBack`. */
    storage: {
      /** The error of failing writes. */
      failure: away,
      goAway: () => {
        isAway = true;
      },
      comeBack: () => {
        isAway = false;
      },
    },
    /** Delays the next copies on their way into the journal until the returned function is called. */
    holdNextReceipt() {
      const { promise, resolve } = Promise.withResolvers<void>();
      nextReceipt = promise;
      return resolve;
    },
    /** The copies in the journal. */
    unfinished: () => memory.unfinished(0, 1_000_000),
    /** Makes commits take an iteration of the event loop, like those of a database. */
    slowDown: () => {
      isSlow = true;
    },
    sent,
    gateways: paths,
    counts,
    /** Logged errors. */
    errors,
    /** Failures that the state received, with repetitions. */
    notedFailures,
    rootKeys,
    joinServer,
    profileIDs,
    get server() {
      return server;
    },
    /** Starts a new network server with the same state, as after a crash. */
    async restart() {
      clock.crash();
      life.end();
      life = createLife();
      server = start(life);
      await server.start();
    },
    /** Makes `decide` choose for each commit whether the server is killed. */
    decideFates(decide: () => Fate) {
      fateOf = decide;
    },
    isDead: () => life.isOver,
    /** Whether `work` was done before the server was killed. */
    survives: (work: Promise<unknown>): Promise<boolean> =>
      Promise.race([work.then(() => !life.isOver), life.over.then(() => false)]),
    /** Enables or disables the device. */
    async setDisabled(isDisabled: boolean) {
      const { device: known } = await server.service.getDevice({ devEui });
      if (known) await server.service.updateDevice({ device: { ...known, isDisabled } });
    },
    /** The first `count` entries of the frame log of the device, of the first gateway. */
    deviceFrames: (count: number) => framesOf(devEUI, count),
    /** The frame log of another device. */
    framesOf,
    gatewayFrames: (count: number) => {
      const gatewayId = Uint8Array.fromHex(gatewayIDs[0]);
      return firstOf(server.service.streamFrameLogsForGateway({ gatewayId }, never), count);
    },
    addGateway,
    journal,
    receiveFrame,
    companion,
    exchange,
    acknowledge,
    device,
    joined,
    activated,
    sameDeviceAt,
    refusing,
    withCommands,
    uplinkOn,
    addTwin,
    rejoinRequest,
    privateServiceProfile,
    enqueue,
    flush,
    requestOf({ phyPayload }: Transmission): JoinRequestFrame {
      const frame = decodeFrame(phyPayload);
      if (frame.mType !== 'JoinRequest') throw new Error('This is no join-request.');
      return frame;
    },
    /** The messages to the application, shortened to what scenarios compare. */
    events: () => application.calls.map(brief),
    session: async () => (await memory.sessions(devEUI)).current,
  };
}

const never = new AbortController().signal;

async function firstOf(entries: AsyncIterable<FrameLogEntry>, count: number): Promise<FrameLogEntry[]> {
  const taken: FrameLogEntry[] = [];
  for await (const entry of entries) if (taken.push(entry) === count) break;
  return taken;
}

function brief(call: ReturnType<typeof createFakeApplication>['calls'][number]): string {
  switch (call.event) {
    case 'up':
      return `up ${call.fCnt}`;
    case 'error':
      return `error ${call.type} ${call.error}`;
    case 'ack':
      return `ack ${call.fCnt} ${call.acknowledged}`;
    case 'txack':
      return `txack ${call.fCnt}`;
    default:
      return call.event;
  }
}

/** The text of the downlink in a frame's item as the device decrypts it. */
export function understood(device: Device, frame: gw.DownlinkFrame | null, item = 0) {
  const phyPayload = frame?.items[item]?.phyPayload;
  if (!phyPayload) return null;
  const received = device.receive(phyPayload);
  if (received.kind !== 'data') return received;
  const { fPort, data, acknowledged, confirmed, fPending, commands } = received;
  return {
    fPort,
    text: new TextDecoder().decode(data),
    acknowledged,
    confirmed,
    fPending,
    commands: commands.map(({ name }) => name),
  };
}
