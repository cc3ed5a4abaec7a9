import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type FilteredEvent, type HistoryFilter, matchesHistory } from './index.ts';

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const at = Date.parse('2026-01-01T12:00:00Z');

const event = (kind: string, payload: object, noteJSON = ''): FilteredEvent => ({
  streamID: `${at}-7`,
  kind,
  payloadJSON: JSON.stringify(payload),
  noteJSON,
});
const up = event(
  'up',
  {
    ...{ fPort: 10, data: base64('00e1ff'), devAddr: base64('01abcdef') },
    rxInfo: [{ gatewayID: base64('0102030405060708'), uplinkID: base64('00112233445566778899aabbccddeeff') }],
    objectJSON: '{"Temp":1}',
  },
  '{"warnings":["Late"]}',
);
const acknowledged = event('txack', { gatewayID: base64('0102030405060708') });

const cases: [what: string, filter: HistoryFilter, up: boolean, txack: boolean][] = [
  ['nothing', { kinds: [], fPorts: [], gatewayID: '', text: '', start: null, end: null }, true, true],
  ['a kind', { kinds: ['join', 'up'] }, true, false],
  ['an FPort', { fPorts: [10] }, true, false],
  ['another FPort', { fPorts: [0, 11] }, false, false],
  ['a gateway', { gatewayID: '0102030405060708' }, true, true],
  ['another gateway', { gatewayID: '0102030405060709' }, false, false],
  ['a text in another letter case', { text: 'TEMP' }, true, false],
  ['a text of the note', { text: 'late' }, true, false],
  ['bytes of the payload', { text: 'E1ff' }, true, false],
  ['half bytes of the payload', { text: '0e1f' }, false, false],
  ['the address of the device', { text: '01AB' }, true, false],
  ['a part of a gateway, an odd one as well', { text: '3040506' }, true, true],
  ['the ID of an uplink as a UUID', { text: '00112233-4455-6677' }, true, false],
  ['a time from', { start: '2026-01-01T12:00:00Z' }, true, true],
  ['a later time from', { start: '2026-01-01T12:00:00.001Z' }, false, false],
  ['a time to', { end: '2026-01-01T12:00:00Z' }, true, true],
  ['an earlier time to', { end: '2026-01-01T11:59:59.999Z' }, false, false],
  ['all of it', { kinds: ['up'], fPorts: [10], gatewayID: '0102030405060708', text: 'ff' }, true, false],
];

for (const [what, filter, matchesUp, matchesTxAck] of cases)
  it(`a filter by ${what} keeps the events that match`, () => {
    const matches = matchesHistory(filter);
    assert.deepEqual([matches(up), matches(acknowledged)], [matchesUp, matchesTxAck]);
  });
