import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ownServersOf } from './own-ports.ts';

it('the database and Redis of this server are its own, with or without a port', () => {
  assert.deepEqual(
    ownServersOf({ databaseURL: 'postgres://u:p@db/hilltop', redisURL: 'rediss://:p@[2001:db8::7]:6390' }),
    [
      { host: 'db', port: 5432, description: 'the database' },
      { host: '2001:db8::7', port: 6390, description: 'the Redis' },
    ],
  );
  assert.deepEqual(ownServersOf({ databaseURL: '', redisURL: 'redis://redis' }), [
    { host: 'redis', port: 6379, description: 'the Redis' },
  ]);
  assert.deepEqual(ownServersOf({ databaseURL: '', redisURL: '' }), []);
});
