import type { Random } from './runtime.ts';

/** A version 4 UUID (RFC 9562 section 5.4) as 16 bytes: integrations parse the ids of events and refuse any other form. */
export function randomUUID(random: Random): Uint8Array {
  const bytes = random(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes;
}
