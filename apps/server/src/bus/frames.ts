import type { FrameLogEntry, FrameRemarks } from '@hilltop/network-server';
import { fromBinary, ns, toBinary } from '@hilltop/protobuf';

/** `number` counts the frames of one instance. */
export interface LoggedFrame {
  instanceID: string;
  number: number;
  entry: FrameLogEntry;
}

/** A frame for another instance: `ns.StreamFrameLogsForGatewayResponse` with remarks. */
export type PackedFrame = Omit<LoggedFrame, 'entry'> & FrameRemarks & { frame: Uint8Array };

export function packFrame({ entry, ...rest }: LoggedFrame): PackedFrame {
  const { refused, relays } = entry;
  const frame = toBinary(ns.StreamFrameLogsForGatewayResponse, entry);
  return { ...rest, frame, ...(refused && { refused }), ...(relays && { relays }) };
}

export function unpackFrame({ instanceID, number, frame, ...remarks }: PackedFrame): LoggedFrame {
  return { instanceID, number, entry: { ...fromBinary(ns.StreamFrameLogsForGatewayResponse, frame), ...remarks } };
}
