import type { IncomingMessage } from 'node:http';
import { refusal } from '@hilltop/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const form = 'application/x-www-form-urlencoded';
const methods = ['GET', 'PUT', 'DELETE'];
const mostBytes = 1024 * 1024;

/** Requests whose method was overridden. */
const overridden = new WeakSet<IncomingMessage>();

/**
 * Applies `X-HTTP-Method-Override`: a call whose address would be too long may be sent as a form by POST. For Fastify's
 * `rewriteUrl`, which runs before routing.
 */
export function takeMethodOverride(request: IncomingMessage): string {
  const given = String(request.headers['x-http-method-override'] ?? '').toUpperCase();
  const isForm = request.headers['content-type']?.split(';')[0]?.trim() === form;
  if (request.method === 'POST' && isForm && methods.includes(given)) {
    request.method = given;
    overridden.add(request);
  }
  return request.url!;
}

/** Uses the fields of such a form as the query of its call. */
export function readFormsAsQueries(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!overridden.has(request.raw) || request.method === 'PUT') return done();
    readForm(request).then(() => done(), done);
  });
}

async function readForm({ raw, query: given }: FastifyRequest): Promise<void> {
  const query = given as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(await textOf(raw))) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  // The body has been read.
  delete raw.headers['content-length'];
  delete raw.headers['transfer-encoding'];
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > mostBytes) throw refusal('BODY_TOO_LARGE', { limit: '1 MB' });
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
