import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import { subscriptionOf, unsubscribe } from './unsubscribing.ts';

interface OneClickDependencies {
  database: Database;
  secrets: Secrets;
  clock: { now: () => Date };
}

/** Mail programs call it when people press their button Unsubscribe (RFC 8058). The token cannot be in a fragment. */
export const oneClickPath = '/unsubscribe/one-click';

/** It ends the mails of one rule: the page of the link ends more, and takes it back. */
export function serveOneClick(app: FastifyInstance, { database, secrets, clock }: OneClickDependencies): void {
  app.register((scope, _options, done) => {
    // The body says List-Unsubscribe=One-Click, as a form; nothing reads it.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, parsed) => parsed(null));
    scope.post(oneClickPath, async ({ query }, reply) => {
      const { token } = query as Record<string, unknown>;
      const subscription = subscriptionOf(secrets, typeof token === 'string' ? token : '');
      await database.transaction(() => unsubscribe(database, subscription, 'RULE', clock.now().getTime()));
      return reply.type('text/plain').send('Unsubscribed.');
    });
    done();
  });
}
