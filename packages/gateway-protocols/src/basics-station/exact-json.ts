/**
 * JSON with integers of 64 bits for times and radio contexts, which exceed the 53 bits of a double. They are strings in
 * the objects and numbers on the wire.
 */
import { PacketError } from '../packet-error.ts';

/** Cannot match inside a text, whose quotes would be escaped. */
const onWire = /"(xtime|rctx|txtime|gpstime|router)"\s*:\s*(-?\d{1,20})(?=\s*[,}])/g;
const inObjects = /"(xtime|rctx|txtime|gpstime)":"(-?\d+)"/g;

/** @throws PacketError */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(text.replace(onWire, '"$1":"$2"'));
  } catch {
    throw new PacketError('json', 'the message is not JSON');
  }
}

export function formatExact(message: object): string {
  return JSON.stringify(message).replace(inObjects, '"$1":$2');
}
