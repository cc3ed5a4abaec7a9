import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';

/** Parameters of argon2id (RFC 9106): 19 MiB, two passes. */
export const cost = { memory: 19_456, passes: 2, parallelism: 1 };
export const derive = promisify(argon2);
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '');

/** PHC text of a message with a salt of 16 bytes. */
export async function phcOf(message: string | Buffer, salt: Uint8Array): Promise<string> {
  const hash = await derive('argon2id', { ...cost, message, nonce: salt, tagLength: 32 });
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(hash)}`;
}
