/** How a device processes the MAC commands of its network, and its answers (LoRaWAN 1.0.4 §5, LoRaWAN 1.1 §5). */
import type { MacCommand, MacCommandName, MacCommandOf, Region } from '@hilltop/lorawan';
import {
  channelsAfterLinkADRReq,
  defaultChannelIndexes,
  deviceEIRP,
  hasTxParamSetup,
  macCommand,
  rx1DataRate,
  uplinkChannels,
} from '@hilltop/lorawan';
import type { RadioSettings } from './session.ts';

/** The state that a command may read and change. */
export interface Listener {
  region: Region;
  macVersion: string;
  radio: RadioSettings;
  battery: number;
  /** The SNR of the downlink with the command. */
  snr: number;
}

/** The standard requires repeating some answers with each uplink until the next class A downlink. */
export interface MacAnswer {
  command: MacCommand;
  repeated: boolean;
}

/** Processes the commands of one downlink and returns the answers in order. Changes the settings. */
export function answerMacCommands(listener: Listener, commands: readonly MacCommand[]): MacAnswer[] {
  const answers: MacAnswer[] = [];
  for (let at = 0; at < commands.length; ) {
    const command = commands[at]!;
    if (command.name === 'LinkADRReq') {
      const block = blockAt(commands, at);
      const answer = applyLinkADR(listener, block);
      answers.push(...block.map(() => ({ command: answer, repeated: false })));
      at += block.length;
      continue;
    }
    const handler = handlers[command.name as MacCommandName] as Handler | undefined;
    const answer = handler?.(listener, command);
    if (answer) answers.push({ command: answer, repeated: repeatedAnswers.includes(answer.name) });
    at++;
  }
  return answers;
}

const repeatedAnswers: readonly string[] = ['RXParamSetupAns', 'RXTimingSetupAns', 'TXParamSetupAns', 'DLChannelAns'];

/** Consecutive LinkADRReq form a block that is applied or refused as a whole. */
function blockAt(commands: readonly MacCommand[], start: number): MacCommandOf<'LinkADRReq'>[] {
  const block: MacCommandOf<'LinkADRReq'>[] = [];
  for (const command of commands.slice(start)) {
    if (command.name !== 'LinkADRReq') break;
    block.push(command);
  }
  return block;
}

const keep = 0x0f;

function applyLinkADR({ region, radio }: Listener, block: readonly MacCommandOf<'LinkADRReq'>[]): MacCommand {
  const payloads = block.map(({ payload }) => payload);
  const last = payloads.at(-1)!;
  const known = uplinkChannels(region, radio.extraChannels);
  const enabled = channelsAfterLinkADRReq(
    region,
    radio.enabledChannels,
    payloads,
    known.map(({ index }) => index),
  );
  const dataRate = last.dataRate === keep ? radio.dataRate : last.dataRate;
  const txPowerIndex = last.txPower === keep ? radio.txPowerIndex : last.txPower;
  const channelMaskAck = enabled.length > 0;
  const dataRateAck = known.some(
    ({ index, minDR, maxDR }) => enabled.includes(index) && minDR <= dataRate && dataRate <= maxDR,
  );
  const powerAck = deviceEIRP(region, txPowerIndex) !== null;
  if (channelMaskAck && dataRateAck && powerAck) {
    Object.assign(radio, { dataRate, txPowerIndex, enabledChannels: enabled, nbTrans: last.redundancy.nbRep || 1 });
  }
  return macCommand('LinkADRAns', { channelMaskAck, dataRateAck, powerAck });
}

type Handler = (listener: Listener, command: MacCommand) => MacCommand | null;

const handlers: {
  [N in MacCommandName]?: (listener: Listener, command: MacCommandOf<N>) => MacCommand | null;
} = {
  DutyCycleReq({ radio }, { payload }) {
    radio.maxDutyCycle = payload.maxDCycle;
    return macCommand('DutyCycleAns');
  },
  RXParamSetupReq({ region, radio }, { payload }) {
    const { rx1DROffset, rx2DataRate } = payload.dlSettings;
    const channelAck = isInBand(region, payload.frequency);
    const rx2DataRateAck = region.dataRates[rx2DataRate]?.downlink ?? false;
    const rx1DROffsetAck = rx1DataRate(region, radio.dataRate, rx1DROffset) !== null;
    if (channelAck && rx2DataRateAck && rx1DROffsetAck) {
      Object.assign(radio, { rx1DROffset, rx2: { frequency: payload.frequency, dataRate: rx2DataRate } });
    }
    return macCommand('RXParamSetupAns', { channelAck, rx2DataRateAck, rx1DROffsetAck });
  },
  DevStatusReq({ battery, snr }) {
    const margin = Math.max(-32, Math.min(31, Math.round(snr)));
    return macCommand('DevStatusAns', { battery, margin });
  },
  NewChannelReq({ region, radio }, { payload }) {
    if (region.channelPlan === 'fixed') return null;
    const { chIndex, freq, minDR, maxDR } = payload;
    const isFree = chIndex >= defaultChannelIndexes(region).length && chIndex < region.maxUplinkChannels;
    const channelFrequencyOK = isFree && (freq === 0 || isInBand(region, freq));
    const dataRateRangeOK = freq === 0 || (minDR <= maxDR && (region.dataRates[maxDR]?.uplink ?? false));
    if (channelFrequencyOK && dataRateRangeOK) {
      radio.extraChannels = radio.extraChannels.filter(({ index }) => index !== chIndex);
      radio.enabledChannels = radio.enabledChannels.filter((index) => index !== chIndex);
      if (freq !== 0) {
        radio.extraChannels.push({ index: chIndex, frequency: freq, minDR, maxDR });
        radio.enabledChannels.push(chIndex);
      }
    }
    return macCommand('NewChannelAns', { channelFrequencyOK, dataRateRangeOK });
  },
  RXTimingSetupReq({ radio }, { payload }) {
    radio.rx1DelayMs = (payload.delay || 1) * 1000;
    return macCommand('RXTimingSetupAns');
  },
  TXParamSetupReq({ region, macVersion }) {
    return hasTxParamSetup(region, macVersion) ? macCommand('TXParamSetupAns') : null;
  },
  DLChannelReq({ region, radio }, { payload }) {
    const channelFrequencyOK = isInBand(region, payload.freq);
    const uplinkFrequencyExists = radio.enabledChannels.includes(payload.chIndex);
    if (channelFrequencyOK && uplinkFrequencyExists) radio.downlinkFrequencies.set(payload.chIndex, payload.freq);
    return macCommand('DLChannelAns', { channelFrequencyOK, uplinkFrequencyExists });
  },
  PingSlotChannelReq({ region, radio }, { payload }) {
    const { frequency, dr: dataRate } = payload;
    const channelFrequencyOK = frequency === 0 || isInBand(region, frequency);
    const dataRateOK = region.dataRates[dataRate]?.downlink ?? false;
    if (channelFrequencyOK && dataRateOK) radio.pingSlot = { frequency, dataRate };
    return macCommand('PingSlotChannelAns', { channelFrequencyOK, dataRateOK });
  },
  BeaconFreqReq: ({ region }, { payload }) =>
    macCommand('BeaconFreqAns', { beaconFrequencyOK: payload.frequency === 0 || isInBand(region, payload.frequency) }),
  ADRParamSetupReq: () => macCommand('ADRParamSetupAns'),
  RejoinParamSetupReq: () => macCommand('RejoinParamSetupAns', { timeOK: true }),
};

function isInBand(region: Region, frequency: number): boolean {
  const [from, to] = region.frequencyRange;
  return from <= frequency && frequency <= to;
}
