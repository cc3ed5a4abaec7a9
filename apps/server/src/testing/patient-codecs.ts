import { type PayloadCodecs, startPayloadCodecs } from '../payload-codecs/codec.ts';

/** Codecs that give a script a minute: with the usual limits a busy machine decides whether it comes to its end. */
export const startPatientCodecs = (): PayloadCodecs =>
  startPayloadCodecs({ limits: { deadlineMs: 60_000, killAfterMs: 60_000 } });
