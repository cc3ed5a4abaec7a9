import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Quota } from '../connections/quota.ts';
import { collectBody } from './collect-body.ts';
import { operationOf } from './operations.ts';

const form = 'application/x-www-form-urlencoded';
const methods = ['GET', 'PUT', 'DELETE'];

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
export function readFormsAsQueries(app: FastifyInstance, quota: Quota): void {
  app.addHook('onRequest', (request, _reply, done) => {
    if (!overridden.has(request.raw) || request.method === 'PUT') return done();
    readForm(request, quota).then(() => done(), done);
  });
}

async function readForm(request: FastifyRequest, quota: Quota): Promise<void> {
  const { raw, query: given, ip: address } = request;
  const body = await collectBody(raw, { quota, operation: operationOf(request), address });
  const query = given as Record<string, string | string[]>;
  for (const [name, value] of new URLSearchParams(body.toString())) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  // The body has been read.
  delete raw.headers['content-length'];
  delete raw.headers['transfer-encoding'];
}
