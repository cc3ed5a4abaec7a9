import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRefusalLog } from './refusal-log.ts';

function startLog() {
  let now = 0;
  const lines: Record<string, unknown>[] = [];
  const refused = createRefusalLog({ warn: (fields: object) => lines.push(fields as never) } as never, () => now);
  return { refused, lines, move: (ms: number) => (now += ms) };
}

it('a refused connection is logged with its reason, once per address and minute', () => {
  const { refused, lines, move } = startLog();
  refused({ address: '192.0.2.1', clientID: 'bridge' }, 'credentials');
  refused({ address: '192.0.2.1', clientID: 'bridge' }, 'not_authorized');
  refused({ address: '192.0.2.2', clientID: 'x'.repeat(1_000) }, 'credentials');
  move(60_000);
  refused({ address: '192.0.2.1', clientID: 'bridge' }, 'throttled');
  assert.deepEqual(
    lines.map(({ address, reason }) => [address, reason].join(' ')),
    ['192.0.2.1 credentials', '192.0.2.2 credentials', '192.0.2.1 throttled'],
  );
  assert.equal(String(lines[1]!['clientID']).length, 64);
});

it('addresses of one IPv6 network count as one', () => {
  const { refused, lines } = startLog();
  for (let host = 1; host < 50; host++) refused({ address: `2001:db8::${host}`, clientID: '' }, 'credentials');
  assert.equal(lines.length, 1);
});
