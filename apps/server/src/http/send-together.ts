import type { FastifyInstance } from 'fastify';

/**
 * Answers that are ready in one turn of the event loop leave one after the other at its end, so that whoever reads them, a
 * proxy or a program beside, is woken once: waking a process that sleeps takes as long as all else of a small call.
 */
export function sendTogether(app: FastifyInstance): void {
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
        // Nobody is left who could answer it otherwise.
        request.log.error({ err: error }, 'an answer could not be sent');
        reply.raw.destroy();
      }
    };
    if (waiting.push(send) === 1) setImmediate(sendAll);
  });
}
