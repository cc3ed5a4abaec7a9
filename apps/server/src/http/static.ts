import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { assetSender, permanentCaching } from './console-assets.ts';
import { withStyleNonce } from './headers.ts';
import { refuseUnknown } from './operations.ts';

const built = fileURLToPath(new URL('../../../console/dist/', import.meta.url));

/**
 * Serves the built console: precompressed files, those with a hash in their name cached permanently, and its one page
 * for every address of a screen.
 */
export async function serveConsole(app: FastifyInstance, root = built): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    app.setNotFoundHandler((request, reply) =>
      request.url === '/'
        ? reply.code(404).type('text/plain').send('The console has not been built: run npm run build.')
        : refuseUnknown(request, reply),
    );
    return;
  }
  const sendPage = pageOf(await readFile(join(root, 'index.html'), 'utf8'));
  await app.register(async (files) => {
    for (const url of ['/', '/index.html']) files.get(url, (_request, reply) => sendPage(reply));
    // The name is invalid, or leads out of the directory.
    files.setErrorHandler((_error, request, reply) => refuseUnknown(request, reply));
    await files.register(fastifyStatic, {
      root,
      index: false,
      preCompressed: true,
      wildcard: true,
      setHeaders: (response, path) => {
        const isHashed = /[/\\]assets[/\\]/.test(path);
        response.header('Cache-Control', isHashed ? permanentCaching : 'no-cache');
      },
    });
    files.get('/assets/:name', await assetSender(join(root, 'assets')));
    files.setNotFoundHandler((request, reply) =>
      isScreen(request.method, request.url) ? sendPage(reply) : refuseUnknown(request, reply),
    );
  });
}

/**
 * The page with a new nonce each time, which the console passes on to libraries that create styles. So the page cannot
 * be cached, but the files it loads can.
 */
function pageOf(html: string): (reply: FastifyReply) => FastifyReply {
  return (reply) => {
    const nonce = randomBytes(18).toString('base64');
    const policy = String(reply.getHeader('Content-Security-Policy') ?? '');
    return reply
      .headers({ 'Content-Security-Policy': withStyleNonce(policy, nonce), 'Cache-Control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(html.replace('%STYLE_NONCE%', nonce));
  };
}

const notScreens = /^\/(api|swagger|auth|health|metrics|assets|docs)(\/|\?|$)/;

/** Addresses of files have an extension, those of screens have none. */
function isScreen(method: string, url: string): boolean {
  const [path = ''] = url.split('?');
  return (method === 'GET' || method === 'HEAD') && !notScreens.test(url) && !/\.[a-z0-9]+$/i.test(path);
}
