/** The text of a copy in the journal. */
import { create, fromJson, gw, toJsonText } from '@hilltop/protobuf';
import { randomUUID } from '../platform/random-uuid.ts';
import type { Random } from '../platform/runtime.ts';

/** Gives each reception an id, unless its gateway gave it one. */
export function withUplinkID(random: Random, frame: gw.UplinkFrame): gw.UplinkFrame {
  const { rxInfo } = frame;
  return rxInfo && rxInfo.uplinkID.length === 0
    ? { ...frame, rxInfo: { ...rxInfo, uplinkID: randomUUID(random) } }
    : frame;
}

export const writeCopy = (frame: gw.UplinkFrame): string => toJsonText(gw.UplinkFrame, frame);

/** A copy that cannot be parsed is an empty frame, which is dropped and finished. */
export function readCopy(copy: string): gw.UplinkFrame {
  try {
    return fromJson(gw.UplinkFrame, JSON.parse(copy));
  } catch {
    return create(gw.UplinkFrame);
  }
}
