import { type PayloadCodecs, startPayloadCodecs } from '../payload-codecs/codec.ts';

/** Codecs with a limit of one minute per script: on a busy machine, scripts would exceed the usual limits. */
export const startCodecsWithLongTimeout = (): PayloadCodecs =>
  startPayloadCodecs({ limits: { deadlineMs: 60_000, killAfterMs: 60_000 } });
