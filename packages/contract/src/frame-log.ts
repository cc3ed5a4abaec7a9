/** LoRaWAN frames as the frame streams send them. */
import { gw } from '@hilltop/protobuf';
import { published } from './published.ts';
import { alternative, listOf, message, optional, text, timestamp, type ValueOf } from './wire.ts';

export const UplinkTXInfo = published(gw.UplinkTXInfo);
export type UplinkTXInfo = ValueOf<typeof UplinkTXInfo>;
export const UplinkRXInfo = published(gw.UplinkRXInfo);
export type UplinkRXInfo = ValueOf<typeof UplinkRXInfo>;
export const DownlinkTXInfo = published(gw.DownlinkTXInfo);
export type DownlinkTXInfo = ValueOf<typeof DownlinkTXInfo>;

export const UplinkFrameLog = message('api.UplinkFrameLog', {
  txInfo: optional(UplinkTXInfo),
  rxInfo: listOf(UplinkRXInfo),
  phyPayloadJSON: text(),
  publishedAt: timestamp(),
});
export type UplinkFrameLog = ValueOf<typeof UplinkFrameLog>;

export const DownlinkFrameLog = message('api.DownlinkFrameLog', {
  txInfo: optional(DownlinkTXInfo),
  phyPayloadJSON: text(),
  gatewayID: text(),
  publishedAt: timestamp(),
});
export type DownlinkFrameLog = ValueOf<typeof DownlinkFrameLog>;

const frame = { uplinkFrame: alternative(UplinkFrameLog), downlinkFrame: alternative(DownlinkFrameLog) } as const;

export const StreamGatewayFrameLogsResponse = message('api.StreamGatewayFrameLogsResponse', frame);
export const StreamDeviceFrameLogsResponse = message('api.StreamDeviceFrameLogsResponse', frame);
/** One item of either frame stream: exactly one of the two members. */
export type FrameLogItem = ValueOf<typeof StreamDeviceFrameLogsResponse>;
