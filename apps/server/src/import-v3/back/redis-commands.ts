/** A command in the protocol of Redis, for `redis-cli --pipe`. */
export function redisCommand(...words: (string | Uint8Array)[]): Buffer {
  const parts = words.map((word) => Buffer.from(word));
  const written = parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), part, Buffer.from('\r\n')]);
  return Buffer.concat([Buffer.from(`*${parts.length}\r\n`), ...written]);
}
