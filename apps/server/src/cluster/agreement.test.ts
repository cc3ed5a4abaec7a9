import assert from 'node:assert/strict';
import { it } from 'node:test';
import { settings, settingsThatMustMatch } from '../config.ts';
import { agreementOf } from './agreement.ts';

const tokenKey = new Uint8Array(32).fill(7);
const of = (environment: Record<string, string>) =>
  agreementOf(settingsThatMustMatch(settings.parse(environment)), { tokenKey });

it('the compared settings reveal no value, and ignore passwords of brokers', () => {
  const amqp = (user: string, host = 'broker') => of({ amqpURL: `amqp://${user}@${host}:5672` });
  assert.ok(!JSON.stringify(amqp('hilltop:secret')).includes('secret'));
  assert.deepEqual(amqp('hilltop:secret'), amqp('hilltop:another'));
  assert.notDeepEqual(amqp('hilltop:secret'), amqp('somebody:secret'));
  assert.notDeepEqual(amqp('hilltop:secret'), amqp('hilltop:secret', 'elsewhere'));
  assert.notDeepEqual(of({ eventHistory: '11' }), of({}));
});
