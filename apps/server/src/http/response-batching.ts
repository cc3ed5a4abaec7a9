import type { FastifyInstance } from 'fastify';

/**
 * Sends answers that become ready in one iteration of the event loop together at its end. The receiver, such as a
 * proxy, wakes up once: waking a sleeping process takes as long as the rest of a small call.
 */
export function batchResponses(app: FastifyInstance): void {
  let waiting: (() => void)[] = [];

  function sendAll(): void {
    const all = waiting;
    waiting = [];
    for (const send of all) send();
  }

  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string') return done(null, payload);
    const send = () => {
      try {
        done(null, payload);
      } catch (error) {
        // The connection cannot be answered in another way any more.
        request.log.error({ err: error }, 'an answer could not be sent');
        reply.raw.destroy();
      }
    };
    if (waiting.push(send) === 1) setImmediate(sendAll);
  });
}
