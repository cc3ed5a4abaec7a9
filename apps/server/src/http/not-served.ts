import { notServed, refusal, routePath } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';

/** Calls of version 3 that this server does not implement: answers code 12 to every caller. */
export function refuseNotServed(app: FastifyInstance): void {
  for (const call of notServed)
    app.route({
      method: call.method,
      url: routePath(call),
      handler: () => {
        throw refusal('NOT_SERVED');
      },
    });
}
