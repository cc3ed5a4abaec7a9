/** The messages between gateways and the network server, in both versions. */
import { create, gw, timestamp } from '@hilltop/protobuf';
import { fromGPSTime } from '../gps-time.ts';
import type { Kind } from './format.ts';
import { fromModulation, toModulation } from './modulation.ts';
import * as v4 from './v4-messages.ts';

export const uplink: Kind<typeof gw.UplinkFrame, typeof v4.UplinkFrame> = {
  v3: gw.UplinkFrame,
  v4: v4.UplinkFrame,
  gatewayID: ({ rxInfo }) => rxInfo?.gatewayID ?? new Uint8Array(),
  gatewayID4: ({ rxInfo }) => rxInfo?.gatewayId ?? '',
  fromV4: ({ phyPayload, txInfo, rxInfo }, gatewayID) => {
    const { gwTime: time, timeSinceGpsEpoch: timeSinceGPSEpoch, snr: loRaSNR } = rxInfo!;
    const { rssi, channel, rfChain, board, antenna, location, context, crcStatus } = rxInfo!;
    return create(gw.UplinkFrame, {
      phyPayload,
      txInfo: txInfo && { frequency: txInfo.frequency, ...fromModulation(txInfo.modulation) },
      rxInfo: {
        gatewayID,
        time,
        timeSinceGPSEpoch,
        loRaSNR,
        rssi,
        channel,
        rfChain,
        board,
        antenna,
        location,
        context,
        crcStatus,
        ...fineTime(rxInfo!.fineTimeSinceGpsEpoch),
      },
    });
  },
  toV4: ({ phyPayload, txInfo, rxInfo }, gatewayId) => {
    const { time: gwTime, timeSinceGPSEpoch: timeSinceGpsEpoch, loRaSNR: snr, uplinkID } = rxInfo!;
    const { rssi, channel, rfChain, board, antenna, location, context, crcStatus } = rxInfo!;
    return create(v4.UplinkFrame, {
      phyPayload,
      txInfo: txInfo && { frequency: txInfo.frequency, modulation: toModulation(txInfo) },
      rxInfo: {
        gatewayId,
        gwTime,
        timeSinceGpsEpoch,
        snr,
        uplinkId: numberOf(uplinkID),
        rssi,
        channel,
        rfChain,
        board,
        antenna,
        location,
        context,
        crcStatus,
      },
    });
  },
  adaptJSON4: (json) => {
    const rxInfo = json['rxInfo'] as Readonly<Record<string, unknown>>;
    return { ...json, rxInfo: { ...rxInfo, fineTimeSinceGpsEpoch: exactDuration(rxInfo['fineTimeSinceGpsEpoch']) } };
  },
};

/** `"1234.567890123s"` in JSON. Any other value is refused with the message. */
function exactDuration(text: unknown): unknown {
  const [, seconds, fraction = ''] = (typeof text === 'string' && /^(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text)) || [];
  return seconds === undefined ? text : { seconds, nanos: Number(fraction.padEnd(9, '0')) };
}

/** A clock beyond this many seconds is wrong. */
const latestSecond = 10_000_000_000;

function fineTime(since: { seconds: string; nanos: number } | null) {
  if (!since || Number(since.seconds) < 0 || Number(since.seconds) > latestSecond || since.nanos < 0) return {};
  const ms = fromGPSTime(Number(since.seconds) * 1000 + Math.floor(since.nanos / 1e6));
  return { fineTimestampType: 'PLAIN', plainFineTimestamp: { time: timestamp(ms, since.nanos % 1e6) } } as const;
}

export const stats: Kind<typeof gw.GatewayStats, typeof v4.GatewayStats> = {
  v3: gw.GatewayStats,
  v4: v4.GatewayStats,
  gatewayID: (message) => message.gatewayID,
  gatewayID4: (message) => message.gatewayId,
  fromV4: ({ rxPacketsReceivedOk: rxPacketsReceivedOK, metadata: metaData, ...same }, gatewayID) =>
    create(gw.GatewayStats, { ...same, gatewayID, rxPacketsReceivedOK, metaData }),
  toV4: ({ rxPacketsReceivedOK: rxPacketsReceivedOk, metaData: metadata, ...same }, gatewayId) =>
    create(v4.GatewayStats, { ...same, gatewayId, rxPacketsReceivedOk, metadata }),
};

export const connState: Kind<typeof gw.ConnState, typeof v4.ConnState> = {
  v3: gw.ConnState,
  v4: v4.ConnState,
  gatewayID: (message) => message.gatewayID,
  gatewayID4: (message) => message.gatewayId,
  fromV4: ({ state }, gatewayID) => ({ gatewayID, state }),
  toV4: ({ state }, gatewayId) => ({ gatewayId, state }),
};

/** The id of a downlink is 16 bytes in version 3, their first four as a number in version 4. */
export const txAck: Kind<typeof gw.DownlinkTXAck, typeof v4.DownlinkTxAck> = {
  v3: gw.DownlinkTXAck,
  v4: v4.DownlinkTxAck,
  gatewayID: (message) => message.gatewayID,
  gatewayID4: (message) => message.gatewayId,
  fromV4: ({ downlinkId, items }, gatewayID) =>
    create(gw.DownlinkTXAck, {
      gatewayID,
      downlinkID: bytesOf(downlinkId),
      items: items.map(({ status }) => ({ status: status === 'DUTY_CYCLE_OVERFLOW' ? 'INTERNAL_ERROR' : status })),
    }),
  toV4: ({ downlinkID, items }, gatewayId) =>
    create(v4.DownlinkTxAck, { gatewayId, downlinkId: numberOf(downlinkID), items }),
};

export const downlink: Kind<typeof gw.DownlinkFrame, typeof v4.DownlinkFrame> = {
  v3: gw.DownlinkFrame,
  v4: v4.DownlinkFrame,
  gatewayID: (message) => message.gatewayID,
  gatewayID4: (message) => message.gatewayId,
  fromV4: ({ downlinkId, items }, gatewayID) =>
    create(gw.DownlinkFrame, {
      gatewayID,
      downlinkID: bytesOf(downlinkId),
      items: items.map(({ phyPayload, txInfo }) => {
        const { frequency = 0, power = 0, board = 0, antenna = 0, context = new Uint8Array() } = txInfo ?? {};
        const { modulation, loRaModulationInfo, fskModulationInfo } = fromModulation(txInfo?.modulation ?? null);
        const modulated = { modulation, loRaModulationInfo, fskModulationInfo };
        const { immediately, delay: delayTimingInfo, gpsEpoch } = txInfo?.timing ?? {};
        const timed = delayTimingInfo
          ? { timing: 'DELAY' as const, delayTimingInfo }
          : gpsEpoch
            ? {
                timing: 'GPS_EPOCH' as const,
                gpsEpochTimingInfo: { timeSinceGPSEpoch: gpsEpoch.timeSinceGpsEpoch },
              }
            : { timing: 'IMMEDIATELY' as const, immediatelyTimingInfo: immediately ?? {} };
        return { phyPayload, txInfo: { gatewayID, frequency, power, board, antenna, context, ...modulated, ...timed } };
      }),
    }),
  toV4: ({ downlinkID, items }, gatewayId) =>
    create(v4.DownlinkFrame, {
      gatewayId,
      downlinkId: numberOf(downlinkID),
      items: items.map(({ phyPayload, txInfo }) => ({ phyPayload, txInfo: txInfo && toTxInfo(txInfo) })),
    }),
};

function toTxInfo(txInfo: gw.DownlinkTXInfo) {
  const { frequency, power, board, antenna, context } = txInfo;
  const { delayTimingInfo: delay, gpsEpochTimingInfo: gpsEpoch } = txInfo;
  const timing = delay
    ? { delay }
    : gpsEpoch
      ? { gpsEpoch: { timeSinceGpsEpoch: gpsEpoch.timeSinceGPSEpoch } }
      : { immediately: {} };
  return { frequency, power, board, antenna, context, modulation: toModulation(txInfo), timing };
}

export const configuration: Kind<typeof gw.GatewayConfiguration, typeof v4.GatewayConfiguration> = {
  v3: gw.GatewayConfiguration,
  v4: v4.GatewayConfiguration,
  gatewayID: (message) => message.gatewayID,
  gatewayID4: (message) => message.gatewayId,
  fromV4: ({ version, statsInterval, channels }, gatewayID) =>
    create(gw.GatewayConfiguration, {
      gatewayID,
      version,
      statsInterval,
      channels: channels.map(({ frequency, modulationLegacy, board, demodulator, ...config }) => {
        const { loraModulationConfig: loRa, fskModulationConfig: fsk } = config;
        const modulated = loRa
          ? { loRaModulationConfig: { ...loRa, bandwidth: loRa.bandwidth / 1000 } }
          : fsk && { fskModulationConfig: { ...fsk, bandwidth: fsk.bandwidth / 1000 } };
        return { frequency, modulation: modulationLegacy, board, demodulator, ...modulated };
      }),
    }),
  toV4: ({ version, statsInterval, channels }, gatewayId) =>
    create(v4.GatewayConfiguration, {
      gatewayId,
      version,
      statsInterval,
      channels: channels.map(({ frequency, modulation, board, demodulator, ...config }) => {
        const { loRaModulationConfig: loRa, fskModulationConfig: fsk } = config;
        const modulated = loRa ? { loraModulationConfig: inHertz(loRa) } : fsk && { fskModulationConfig: inHertz(fsk) };
        return { frequency, modulationLegacy: modulation, board, demodulator, ...modulated };
      }),
    }),
};

function inHertz<Config extends { bandwidth: number }>(config: Config) {
  return { ...config, bandwidth: config.bandwidth * 1000, bandwidthLegacy: config.bandwidth };
}

function numberOf(id: Uint8Array): number {
  return id.length < 4 ? 0 : new DataView(id.buffer, id.byteOffset).getUint32(0);
}

function bytesOf(id: number): Uint8Array {
  return Uint8Array.of(id >>> 24, (id >>> 16) & 0xff, (id >>> 8) & 0xff, id & 0xff);
}
