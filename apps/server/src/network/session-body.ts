import type { DeviceSession, UplinkHistoryEntry } from '@hilltop/network-server';

/** Everything of a session that has no column. */
export type SessionBody = Omit<DeviceSession, 'id' | 'devEUI' | 'devAddr' | 'role' | 'revision' | 'keys'>;

/**
 * A body is a JSON array, to keep it short: each uplink reads and writes one. The meaning of a position never changes.
 * A new field goes to the end, and is read with `??` and its default for older sessions.
 */
const packed = (session: SessionBody) =>
  [
    session.origin,
    session.joinEUI,
    session.macVersion,
    session.activatedAt,
    session.fCntUp,
    session.nFCntDown,
    session.aFCntDown,
    session.confFCnt,
    session.formerConfFCnt,
    session.spent,
    session.itemsPassedOver,
    session.repeats,
    session.rxDelay,
    session.rx1DROffset,
    session.rx2DataRate,
    session.rx2Frequency,
    session.adr,
    session.dr,
    session.txPowerIndex,
    session.lowestTxPowerIndex,
    session.highestTxPowerIndex,
    session.nbTrans,
    session.enabledChannels,
    session.extraChannels,
    session.formerChannels,
    session.uplinkDwellTime400ms,
    session.downlinkDwellTime400ms,
    session.maxEIRPIndex,
    flat(session.uplinkHistory),
    session.macErrors,
    session.pendingRequests,
    session.lastDevStatusRequestedAt,
    session.lastUplinkAt,
    session.lastDownlinkAt,
    session.mode,
    session.beaconLocked,
    session.pingSlotNb,
    session.pingSlotDR,
    session.pingSlotFrequency,
    session.beaconFrequency,
    session.rejoinCount0,
    session.rejoinParams,
    session.receivers,
    runs(session.missed),
    session.isTxPowerDoubtful,
    session.adrAckReqSince,
    session.lastNewChannelRequestedAt,
    session.isJoinReported ?? false,
  ] as const;

const unpacked = (at: ReturnType<typeof packed>): SessionBody => ({
  origin: at[0],
  joinEUI: at[1],
  macVersion: at[2],
  activatedAt: at[3],
  fCntUp: at[4],
  nFCntDown: at[5],
  aFCntDown: at[6],
  confFCnt: at[7],
  formerConfFCnt: at[8],
  spent: at[9],
  itemsPassedOver: at[10],
  repeats: at[11],
  rxDelay: at[12],
  rx1DROffset: at[13],
  rx2DataRate: at[14],
  rx2Frequency: at[15],
  adr: at[16],
  dr: at[17],
  txPowerIndex: at[18],
  lowestTxPowerIndex: at[19],
  highestTxPowerIndex: at[20],
  nbTrans: at[21],
  enabledChannels: at[22],
  extraChannels: at[23],
  formerChannels: at[24],
  uplinkDwellTime400ms: at[25],
  downlinkDwellTime400ms: at[26],
  maxEIRPIndex: at[27],
  uplinkHistory: raised(at[28]),
  macErrors: at[29],
  pendingRequests: at[30],
  lastDevStatusRequestedAt: at[31],
  lastUplinkAt: at[32],
  lastDownlinkAt: at[33],
  mode: at[34],
  beaconLocked: at[35],
  pingSlotNb: at[36],
  pingSlotDR: at[37],
  pingSlotFrequency: at[38],
  beaconFrequency: at[39],
  rejoinCount0: at[40],
  rejoinParams: at[41],
  receivers: at[42],
  missed: counted(at[43] ?? []),
  isTxPowerDoubtful: at[44] ?? false,
  adrAckReqSince: at[45] ?? null,
  lastNewChannelRequestedAt: at[46] ?? null,
  ...(at[47] && { isJoinReported: true }),
});

export const sessionBody = (session: SessionBody): string => JSON.stringify(packed(session));

export function sessionOf(body: string): SessionBody {
  const stored = parse(body);
  return 'length' in stored ? unpacked(stored) : fromEarlier(stored);
}

type Channels = SessionBody['extraChannels'];

/** Most devices of a network have the same few channels; parsing them takes longer than the rest of a session. */
const parsedChannels = new Map<string, Channels>();
const mostParsedChannels = 1000;
const channelsBegin = ',[{"index":';
const channelsEnd = '}]';
const extraChannelsAt = 23;
const formerChannelsAt = 24;

/** The same as `JSON.parse`, with the first list of channels from the cache. */
function parse(body: string): ReturnType<typeof packed> | EarlierBody {
  const begin = body.indexOf(channelsBegin) + 1;
  const end = body.indexOf(channelsEnd, begin) + channelsEnd.length;
  if (begin === 0 || !body.startsWith('[')) return JSON.parse(body) as ReturnType<typeof packed> | EarlierBody;
  const channels = channelsOf(body.slice(begin, end));
  const stored = JSON.parse(`${body.slice(0, begin)}null${body.slice(end)}`) as unknown[];
  stored[stored[extraChannelsAt] === null ? extraChannelsAt : formerChannelsAt] = channels;
  return stored as unknown as ReturnType<typeof packed>;
}

/** Copies the list for each session, because the session changes it; the channels in it are shared and never change. */
function channelsOf(text: string): Channels {
  let channels = parsedChannels.get(text);
  if (!channels) {
    channels = (JSON.parse(text) as Channels).map(Object.freeze) as Channels;
    if (parsedChannels.size >= mostParsedChannels) parsedChannels.clear();
    parsedChannels.set(text, channels);
  }
  return [...channels];
}

const entryLength = 5;

/** A history as numbers in one list. */
function flat(history: readonly UplinkHistoryEntry[]): number[] {
  const numbers: number[] = [];
  for (const { fCnt, maxSNR, maxRSSI, txPowerIndex, gatewayCount } of history)
    numbers.push(fCnt, maxSNR, maxRSSI, txPowerIndex, gatewayCount);
  return numbers;
}

function raised(numbers: readonly number[]): UplinkHistoryEntry[] {
  const history: UplinkHistoryEntry[] = [];
  for (let at = 0; at < numbers.length; at += entryLength)
    history.push({
      fCnt: numbers[at]!,
      maxSNR: numbers[at + 1]!,
      maxRSSI: numbers[at + 2]!,
      txPowerIndex: numbers[at + 3]!,
      gatewayCount: numbers[at + 4]!,
    });
  return history;
}

const shortestRun = 3;

/**
 * Encodes consecutive numbers as the first of them and, negated, how many follow. Older versions ignore negative
 * numbers.
 */
function runs(numbers: readonly number[]): number[] {
  const written: number[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at + 1;
    while (numbers[end] === numbers[end - 1]! + 1) end += 1;
    if (end - at < shortestRun) written.push(...numbers.slice(at, end));
    else written.push(numbers[at]!, at + 1 - end);
    at = end;
  }
  return written;
}

function counted(written: readonly number[]): number[] {
  const numbers: number[] = [];
  for (const one of written)
    if (one >= 0) numbers.push(one);
    else for (let more = one; more < 0; more += 1) numbers.push(numbers.at(-1)! + 1);
  return numbers;
}

/** Earlier versions wrote an object with the fields they had. */
type EarlierBody = Partial<SessionBody> & {
  minSupportedTxPowerIndex?: number;
  /** 0 means unknown. */
  maxSupportedTxPowerIndex?: number;
};

/** Converts sessions of earlier versions to the current form. */
function fromEarlier({ minSupportedTxPowerIndex, maxSupportedTxPowerIndex, ...stored }: EarlierBody): SessionBody {
  const younger = {
    missed: [],
    formerChannels: [],
    formerConfFCnt: 0,
    spent: {},
    itemsPassedOver: 0,
    repeats: 0,
    lastUplinkAt: null,
    beaconFrequency: 0,
    lowestTxPowerIndex: minSupportedTxPowerIndex ?? 0,
    highestTxPowerIndex: maxSupportedTxPowerIndex || null,
  };
  return { ...younger, ...stored } as SessionBody;
}
