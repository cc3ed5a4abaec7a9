import type { FrameLogEntry, FrameRemarks } from '@hilltop/network-server';
import { fromBinary, ns, toBinary } from '@hilltop/protobuf';

/** `number`: each instance counts what it adds. */
export interface LoggedFrame {
  instanceID: string;
  number: number;
  entry: FrameLogEntry;
}

/** A frame on its way to another instance: `ns.StreamFrameLogsForGatewayResponse`, and what is remarked beside it. */
export type PackedFrame = Omit<LoggedFrame, 'entry'> & FrameRemarks & { frame: Uint8Array };

export function packFrame({ entry, ...rest }: LoggedFrame): PackedFrame {
  const { refused, relays } = entry;
  const frame = toBinary(ns.StreamFrameLogsForGatewayResponse, entry);
  return { ...rest, frame, ...(refused && { refused }), ...(relays && { relays }) };
}

export function unpackFrame({ instanceID, number, frame, ...remarks }: PackedFrame): LoggedFrame {
  return { instanceID, number, entry: { ...fromBinary(ns.StreamFrameLogsForGatewayResponse, frame), ...remarks } };
}
