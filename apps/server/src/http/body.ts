import { refusal } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';
import type { Quota } from '../connections/quota.ts';
import { collectBody } from './collect-body.ts';
import { operationOf } from './operations.ts';

/** Parses every body as JSON, whatever its content type says; an empty body is an empty message. */
export function readBodiesAsJSON(app: FastifyInstance, quota: Quota): void {
  app.removeAllContentTypeParsers();
  // Fastify checks the content type before it calls a parser, and some clients send a malformed one.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    delete raw.headers['content-type'];
    done();
  });
  app.addContentTypeParser('*', (request, _body, done) => {
    collectBody(request.raw, { quota, operation: operationOf(request), address: request.ip })
      .then((bytes) => (bytes.length === 0 ? undefined : parse(bytes.toString())))
      .then((body) => done(null, body), done);
  });
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    // The message of the parser quotes the body, which may contain a password.
    const [problem] = (error as Error).message.split(/, (?:\.\.\.)?"/);
    throw refusal('NOT_JSON', { problem: problem! });
  }
}
