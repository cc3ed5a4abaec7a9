import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

const types: ReadonlyMap<string | undefined, string> = new Map([
  ['js', 'application/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
]);

/** More than all compressed files of a build. */
const cachedBytes = 2 * 2 ** 20;

/** The headers of files with a hash in their name. */
export const permanentCaching = 'public, max-age=31536000, immutable';

type Handler = (request: FastifyRequest<{ Params: { name: string } }>, reply: FastifyReply) => unknown;

/**
 * Answers requests for scripts and styles of the console from memory: a first visit loads a hundred small files, and
 * opening one takes longer than sending it. Other files, and clients without Brotli, get the file from the disk.
 */
export async function assetSender(folder: string): Promise<Handler> {
  // Only names from the build reach the file system.
  const names = new Set(existsSync(folder) ? await readdir(folder) : []);
  const contents = new LRUCache<string, Buffer>({ maxSize: cachedBytes, sizeCalculation: ({ length }) => length + 1 });
  return async (request, reply) => {
    const { name } = request.params;
    const { 'accept-encoding': accepted, range } = request.headers;
    const type = types.get(name.split('.').at(-1));
    const isPacked = names.has(`${name}.br`);
    const isAccepted = !isPacked || /\bbr\b(?!\s*;\s*q=0)/.test(String(accepted ?? ''));
    if (type === undefined || range !== undefined || !names.has(name) || !isAccepted)
      return reply.sendFile(`assets/${name}`);
    const file = isPacked ? `${name}.br` : name;
    const content = contents.get(file) ?? (await readFile(join(folder, file)));
    contents.set(file, content);
    if (isPacked) reply.header('Content-Encoding', 'br');
    return reply.headers({ 'Cache-Control': permanentCaching, Vary: 'accept-encoding' }).type(type).send(content);
  };
}
