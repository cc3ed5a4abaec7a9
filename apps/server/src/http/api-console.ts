import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';

const folder = new URL('api-console/', import.meta.url);

/** `GET /api`: a page that lists the operations of the definition documents and lets users try them. */
export async function serveApiConsole(app: FastifyInstance): Promise<void> {
  const files = [
    { url: '/api', file: 'index.html', type: 'text/html; charset=utf-8' },
    { url: '/swagger/console.js', file: 'console.js', type: 'text/javascript; charset=utf-8' },
    { url: '/swagger/console.css', file: 'console.css', type: 'text/css; charset=utf-8' },
  ];
  for (const { url, file, type } of files) {
    const content = await readFile(new URL(file, folder));
    app.get(url, (_request, reply) => reply.type(type).header('Cache-Control', 'no-cache').send(content));
  }
}
