import type { MacCommandNote } from '@hilltop/contract';

/** Members of payloads in the form of frame logs. */
type Payload = Readonly<Record<string, unknown>>;

const numberOf = (payload: Payload | undefined, name: string): number | undefined => {
  const value = payload?.[name];
  return typeof value === 'number' ? value : undefined;
};

const groupOf = (payload: Payload | undefined, name: string): Payload => {
  const value = payload?.[name];
  return typeof value === 'object' && value !== null ? (value as Payload) : {};
};

const megahertz = (hertz: number | undefined): string => (hertz === undefined ? '' : `${hertz / 1e6} MHz`);

/** `accepted`, or what of it the device refused. */
function verdict(answer: Payload | undefined, parts: Readonly<Record<string, string>>): string {
  const refused = Object.entries(parts).flatMap(([name, word]) => (answer?.[name] === false ? [word] : []));
  return refused.length === 0 ? 'accepted' : `refused (${refused.join(', ')})`;
}

const fromTo = (from: number, to: number, prefix = ''): string =>
  from === to ? `${prefix}${to}` : `${prefix}${from} to ${prefix}${to}`;

const joined = (...parts: readonly (string | undefined | false)[]): string => parts.filter(Boolean).join(', ');

/** "ADR: DR3 to DR5, power 0 to 2, accepted". */
function adrAnswer({ payload, request, before }: MacCommandNote): string {
  const parts = { channelMaskAck: 'channels', dataRateAck: 'data-rate', powerAck: 'power' };
  if (!request || !before) return `ADR: ${verdict(payload, parts)}`;
  const dataRate = numberOf(request, 'dataRate') ?? before.dataRate;
  const txPower = numberOf(request, 'txPower') ?? before.txPower;
  const nbRep = numberOf(groupOf(request, 'redundancy'), 'nbRep') || before.nbRep;
  const changes = joined(
    fromTo(before.dataRate, dataRate, 'DR'),
    `power ${fromTo(before.txPower, txPower)}`,
    nbRep !== before.nbRep && `each frame ${fromTo(before.nbRep, nbRep)} times`,
  );
  return `ADR: ${changes}, ${verdict(payload, parts)}`;
}

const channel = (request: Payload | undefined): string =>
  joined(
    `Channel ${numberOf(request, 'chIndex') ?? '?'}`,
    megahertz(numberOf(request, 'freq')),
    numberOf(request, 'minDR') !== undefined &&
      fromTo(numberOf(request, 'minDR') ?? 0, numberOf(request, 'maxDR') ?? 0, 'DR'),
  );

const battery = (level: number | undefined): string => {
  if (level === 0) return 'external power';
  return level === undefined || level === 255 ? 'battery unknown' : `battery ${Math.round((level / 254) * 100)} %`;
};

const gateways = (count: number): string => (count === 1 ? '1 gateway' : `${count} gateways`);

/** What each command says. Others are shown by their names. */
const words: Readonly<Record<string, (command: MacCommandNote) => string>> = {
  LinkADRAns: adrAnswer,
  LinkADRReq: ({ payload }) =>
    `ADR: asks for DR${numberOf(payload, 'dataRate') ?? '?'}, power ${numberOf(payload, 'txPower') ?? '?'}`,
  DevStatusReq: () => 'Asks for the device status',
  DevStatusAns: ({ payload }) =>
    `Device status: ${battery(numberOf(payload, 'battery'))}, margin ${numberOf(payload, 'margin') ?? '?'} dB`,
  LinkCheckReq: () => 'Asks for a link check',
  LinkCheckAns: ({ payload }) =>
    `Link check: margin ${numberOf(payload, 'margin') ?? '?'} dB, ${gateways(numberOf(payload, 'gwCnt') ?? 0)}`,
  DeviceTimeReq: () => 'Asks for the time',
  DeviceTimeAns: () => 'Gets the time',
  NewChannelReq: ({ payload }) => `${channel(payload)}: asked for`,
  NewChannelAns: ({ payload, request }) =>
    `${request ? channel(request) : 'Channel'}: ${verdict(payload, {
      channelFrequencyOK: 'frequency',
      dataRateRangeOK: 'data-rates',
    })}`,
  RXParamSetupReq: ({ payload }) => `RX2 on ${megahertz(numberOf(payload, 'frequency'))}: asked for`,
  RXParamSetupAns: ({ payload, request }) =>
    `RX2${request ? ` on ${megahertz(numberOf(request, 'frequency'))}` : ''}: ${verdict(payload, {
      channelAck: 'frequency',
      rx2DataRateAck: 'data-rate of RX2',
      rx1DROffsetAck: 'offset of RX1',
    })}`,
  RXTimingSetupReq: ({ payload }) => `RX1 after ${numberOf(payload, 'delay') || 1} s: asked for`,
  RXTimingSetupAns: ({ request }) => `RX1${request ? ` after ${numberOf(request, 'delay') || 1} s` : ''}: accepted`,
  TXParamSetupReq: () => 'Dwell time and highest power: asked for',
  TXParamSetupAns: () => 'Dwell time and highest power: accepted',
  RejoinParamSetupReq: () => 'Regular rejoins: asked for',
  RejoinParamSetupAns: ({ payload }) => `Regular rejoins: ${verdict(payload, { timeOK: 'time' })}`,
  PingSlotInfoReq: ({ payload }) => `Listens in a ping slot every ${2 ** (numberOf(payload, 'periodicity') ?? 0)} s`,
  PingSlotInfoAns: () => 'Ping slots: accepted',
  PingSlotChannelReq: ({ payload }) => `Ping slots on ${megahertz(numberOf(payload, 'frequency'))}: asked for`,
  PingSlotChannelAns: ({ payload, request }) =>
    `Ping slots${request ? ` on ${megahertz(numberOf(request, 'frequency'))}` : ''}: ${verdict(payload, {
      channelFrequencyOK: 'frequency',
      dataRateOK: 'data-rate',
    })}`,
  BeaconFreqReq: ({ payload }) => `Beacon on ${megahertz(numberOf(payload, 'frequency'))}: asked for`,
  BeaconFreqAns: ({ payload }) => `Beacon frequency: ${verdict(payload, { beaconFrequencyOK: 'frequency' })}`,
  ResetInd: () => 'Has restarted',
  ResetConf: () => 'Restart confirmed',
  RekeyInd: () => 'Uses the keys of the new session',
  RekeyConf: () => 'New keys confirmed',
  DeviceModeInd: ({ payload }) => `Listens as class ${numberOf(payload, 'Class') === 2 ? 'C' : 'A'}`,
  DeviceModeConf: ({ payload }) => `Class ${numberOf(payload, 'Class') === 2 ? 'C' : 'A'} confirmed`,
};

/** The commands of a frame in words; the answers to a block of equal requests count as one. */
export function macWords(commands: readonly MacCommandNote[]): string[] {
  const texts = commands.map((command) => words[command.name]?.(command) ?? command.name);
  return texts.filter((text, at) => !(text === texts[at - 1] && commands[at]?.name.startsWith('LinkADR')));
}
