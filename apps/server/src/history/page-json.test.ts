import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventsJSON } from './page-json.ts';

it('the time of an event is that of its payload, also beside decoded values of that name', () => {
  const payloads = [
    { object: { a: 1 }, publishedAt: '2026-11-27T22:48:05.233Z', profile: 'x' },
    { object: { publishedAt: '1999-01-01T00:00:00.123Z' }, publishedAt: '2026-11-27T22:48:06.000Z' },
    { objectJSON: '{"publishedAt":"1999-01-01T00:00:00.123Z"}', publishedAt: '2026-11-27T22:48:07.100Z' },
  ];
  const events = payloads.map((payload, seq) => ({
    at: 7,
    seq,
    type: 'up',
    payload: JSON.stringify(payload),
    note: null,
  }));
  assert.deepEqual(
    JSON.parse(eventsJSON(events)),
    ['2026-11-27T22:48:05.233Z', '2026-11-27T22:48:06Z', '2026-11-27T22:48:07.100Z'].map((publishedAt, seq) => ({
      streamID: `7-${seq}`,
      kind: 'up',
      publishedAt,
      payloadJSON: JSON.stringify(payloads[seq]),
      noteJSON: '',
    })),
  );
});
