import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const builtDocuments = fileURLToPath(new URL('../../../docs/dist/', import.meta.url));

/**
 * Serves the built documents below `/docs/` without sign-in: pages by address without `.html`, pictures and styles
 * below `/docs/assets/` with a hash in their name. An unknown address answers a page that links to the index.
 */
export async function serveDocuments(app: FastifyInstance, root = builtDocuments): Promise<void> {
  if (!existsSync(join(root, 'index.html'))) {
    for (const url of ['/docs', '/docs/*'])
      app.get(url, (_request, reply) =>
        reply.code(404).type('text/plain').send('The documents have not been built: run npm run build.'),
      );
    return;
  }
  const files = await filesByAddress(root);
  await app.register(async (routes) => {
    await routes.register(fastifyStatic, {
      root,
      serve: false,
      preCompressed: true,
      setHeaders: (response, path) => {
        const isHashed = /[/\\]assets[/\\]/.test(path);
        response.header('Cache-Control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    });
    // Only names from the build reach the file system.
    for (const url of ['/docs', '/docs/*'])
      routes.get(url, (request, reply) => {
        const [path = ''] = request.url.split('?');
        const file = files.get(path.replace(/\/$/, ''));
        return file === undefined ? reply.code(404).sendFile('404.html') : reply.sendFile(file);
      });
  });
}

/** `/docs` → `index.html`, `/docs/quick-start` → `quick-start.html`, `/docs/assets/x.css` → `assets/x.css`. */
async function filesByAddress(root: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(root, { recursive: true });
  const names = found.map((name) => name.replaceAll(sep, '/')).filter((name) => /\.(html|css|png|svg)$/.test(name));
  return new Map(
    names.map((name) => [`/docs/${name.replace(/(^|\/)index\.html$|\.html$/, '')}`.replace(/\/$/, ''), name]),
  );
}
