import type { AuditEntry } from '@hilltop/contract';
import { expect, it } from 'vitest';
import { itemOf } from './exchanges.ts';
import { timelineKind } from './timeline-kind.ts';
import { changeItem } from './use-changes.ts';

const headline = (kind: string, payload: object, note: object = {}) => {
  const publishedAt = '2026-11-21T10:00:00Z';
  const event = {
    streamID: '1-1',
    kind,
    publishedAt,
    payloadJSON: JSON.stringify(payload),
    noteJSON: JSON.stringify(note),
  };
  const { type, tone, chips, cells } = timelineKind.headlineOf(itemOf(event));
  return [type, tone, chips.map(({ text }) => text), cells];
};

it('shows steps of downlinks, frames without an event and refused frames', () => {
  const sent = { step: 'SENT', gatewayID: 'uCfr//4RIjM=', window: 'RX2', frequency: 869_525_000, dr: 3, fCnt: 7 };
  expect(headline('downlink', sent)).toEqual([
    'downlink',
    'down',
    ['sent', 'RX2', 'GW: b827ebfffe112233'],
    { fCnt: '7', dataRate: 'DR3', frequency: '869.525' },
  ]);
  expect(headline('downlink', { step: 'TOO_LARGE', bytes: 60, limit: 51 })).toEqual([
    'downlink',
    'bad',
    ['dropped: too large (60 of at most 51 bytes)'],
    {},
  ]);
  const join = { direction: 'up', mType: 'JoinRequest', devNonce: 4 };
  expect(headline('frame', join, { bestRSSI: -110, bestSNR: 4.25, gatewayCount: 2 })).toEqual([
    'frame',
    'join',
    ['Join-request, DevNonce 4'],
    { rssi: '-110', snr: '4.3', gateways: '2' },
  ]);
  expect(headline('frame', { direction: 'down', mType: 'UnconfirmedDataDown', ack: true })[2]).toEqual([
    'Acknowledgement',
  ]);
  expect(headline('dropped', { reason: 'wrong-mic', mType: 'UnconfirmedDataUp' }).slice(0, 3)).toEqual([
    'dropped',
    'bad',
    ['Signed with another key (MIC)', 'UnconfirmedDataUp'],
  ]);
  expect(headline('dropped', { more: 1312 })[2]).toEqual(['and 1312 more in that hour']);
});

it('shows the reception of an uplink without its gateways', () => {
  const [, , , cells] = headline('up', { fCnt: 3, fPort: 2 }, { bestRSSI: -99, bestSNR: 1, gatewayCount: 3 });
  expect(cells).toMatchObject({ fCnt: '3', rssi: '-99', snr: '1.0', gateways: '3' });
});

it('shows who changed the device, and which fields', () => {
  const entry: AuditEntry = {
    ...{ id: '7', at: '2026-11-21T10:00:00Z', actorKind: 'USER', actorID: '3', actorName: 'anna@example.org' },
    ...{ address: '', organizationID: '1', operation: 'device.update', subjectKind: 'device', subjectID: '01' },
    ...{ subjectName: 'one', outcome: 'OK', requestID: '', jobID: '', isCut: false },
    changes: [{ field: 'name', before: 'a', after: 'b', secret: 'NONE', isCut: false }],
  };
  const { type, chips } = timelineKind.headlineOf(changeItem(entry));
  expect([type, chips.map(({ text }) => text)]).toEqual(['change', ['Update device', 'by anna@example.org', 'name']]);
});
