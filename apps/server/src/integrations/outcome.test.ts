import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { HttpResponse } from '../outgoing/outgoing-request.ts';
import { expectSuccess } from './outcome.ts';

const now = new Date('2026-07-01T12:00:00Z');

function errorOf(status: number, headers: HttpResponse['headers'] = {}, body = 'no'): DeliveryError {
  try {
    expectSuccess({ status, headers, body: Buffer.from(body) }, now);
  } catch (error) {
    assert.ok(error instanceof DeliveryError);
    return error;
  }
  throw new Error(`${status} is a success`);
}

describe('the status of an answer', () => {
  it('is a success from 200 to 299', () => {
    for (const status of [200, 201, 202, 204, 299]) expectSuccess({ status, headers: {}, body: Buffer.from('') }, now);
  });

  for (const [fault, statuses] of [
    ['event', [400, 413, 415, 422]],
    ['gone', [410]],
    ['endpoint', [301, 302, 303, 307, 308, 401, 403, 404, 405, 407, 408, 425, 429, 500, 501, 502, 503, 504, 599]],
  ] as const)
    it(`blames the ${fault} for ${statuses.join(', ')}`, () => {
      for (const status of statuses) {
        const error = errorOf(status);
        assert.deepEqual([error.fault, error.status, error.excerpt], [fault, status, 'no']);
      }
    });

  it('names the host an endpoint has moved to, and no more of its address', () => {
    const { message } = errorOf(301, { location: 'https://new.example.org/secret?token=secret' });
    assert.match(message, /moved to new\.example\.org /);
    assert.doesNotMatch(message, /secret/);
    assert.match(errorOf(302, { location: '/elsewhere' }).message, /^The endpoint moved \(302\)/);
  });

  it('keeps how long to wait, an hour at most', () => {
    const wait = (value: string) => errorOf(503, { 'retry-after': value }).retryAfterMs;
    assert.equal(wait('120'), 120_000);
    assert.equal(wait('999999'), 3_600_000);
    assert.equal(wait('Wed, 01 Jul 2026 12:00:30 GMT'), 30_000);
    for (const value of ['', '0', 'soon', 'Wed, 01 Jul 2026 11:00:00 GMT']) assert.equal(wait(value), undefined, value);
  });

  it('comes with the beginning of what is text', () => {
    assert.equal(errorOf(500, {}, 'x'.repeat(1000)).excerpt, 'x'.repeat(512));
    assert.equal(errorOf(500, {}, 'a\0b').excerpt, '');
  });
});
