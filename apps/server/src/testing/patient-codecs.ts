import { type PayloadCodecs, startPayloadCodecs } from '../payload-codecs/codec.ts';

/** Codecs that give a script a minute: with the usual limit, a busy machine would decide whether it finishes. */
export const startPatientCodecs = (): PayloadCodecs =>
  startPayloadCodecs({ limits: { deadlineMs: 60_000, killAfterMs: 60_000 } });
