import { createHash } from 'node:crypto';
import { uuidText } from '../identifiers.ts';

const namespace = Uint8Array.fromHex('0c6f3a52d3b14d6f8c0b7a5f1f0e9a64');

/** The UUID of an event: version 5, so that it is the same in every delivery (RFC 9562 section 5.5). */
export function eventUUID(eventID: string): string {
  const bytes = new Uint8Array(createHash('sha1').update(namespace).update(eventID).digest().subarray(0, 16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return uuidText(bytes);
}
