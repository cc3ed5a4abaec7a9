import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import Fastify from 'fastify';
import { batchResponses } from './response-batching.ts';

describe('answers', () => {
  it('of one event loop iteration are sent together at its end, and one that fails delays no others', async () => {
    const app = Fastify();
    const steps: string[] = [];
    app.addHook('onRequest', ({ url }, reply, done) => {
      const { raw } = reply;
      const end = raw.end.bind(raw) as (...given: unknown[]) => typeof raw;
      raw.end = ((...given: unknown[]) => {
        steps.push(`sent ${url}`);
        return end(...given);
      }) as typeof raw.end;
      done();
    });
    batchResponses(app);
    app.get('/bad', (_request, reply) => {
      steps.push('made /bad');
      reply.raw.setHeader = reply.raw.writeHead = () => {
        throw new Error('no head');
      };
      return reply.send('bad');
    });
    app.get('/:name', ({ url }, reply) => {
      steps.push(`made ${url}`);
      return reply.send(url);
    });
    const ask = async (url: string) => (await app.inject({ url })).body;
    const [first, bad, last] = await Promise.allSettled(['/1', '/bad', '/2'].map(ask));
    assert.deepEqual(
      [first, last],
      ['/1', '/2'].map((value) => ({ status: 'fulfilled', value })),
    );
    assert.equal(bad?.status, 'rejected');
    assert.deepEqual(steps, ['made /1', 'made /bad', 'made /2', 'sent /1', 'sent /2']);
    await app.close();
  });
});
