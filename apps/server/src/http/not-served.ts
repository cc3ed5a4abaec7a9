import { notServed, refusal, routePath } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';

/** Calls that clients of the older servers know and nothing here answers yet: code 12, whoever asks. */
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
