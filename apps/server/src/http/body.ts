import { refusal } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';

/** Parses every body as JSON, whatever its content type says; an empty body is an empty message. */
export function readBodiesAsJSON(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Fastify checks the content type before it calls a parser, and some clients send a malformed one.
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    delete raw.headers['content-type'];
    done();
  });
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    if (body === '') return done(null, undefined);
    try {
      done(null, JSON.parse(body as string));
    } catch (error) {
      // The message of the parser quotes the body, which may contain a password.
      const [problem] = (error as Error).message.split(/, (?:\.\.\.)?"/);
      done(refusal('NOT_JSON', { problem: problem! }));
    }
  });
}
