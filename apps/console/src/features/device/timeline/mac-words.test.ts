import { expect, it } from 'vitest';
import { macWords } from './mac-words.ts';

const before = { dataRate: 3, txPower: 0, nbRep: 1 };
const request = { dataRate: 5, txPower: 2, redundancy: { chMaskCntl: 0, nbRep: 1 } };
const accepted = { channelMaskAck: true, dataRateAck: true, powerAck: true };

it('says what changed, and what a device refused', () => {
  const answer = { name: 'LinkADRAns', payload: accepted, request, before };
  expect(macWords([answer, answer])).toEqual(['ADR: DR3 to DR5, power 0 to 2, accepted']);
  expect(macWords([{ ...answer, payload: { ...accepted, powerAck: false } }])).toEqual([
    'ADR: DR3 to DR5, power 0 to 2, refused (power)',
  ]);
  const repeats = { ...request, dataRate: 3, redundancy: { chMaskCntl: 0, nbRep: 3 } };
  expect(macWords([{ ...answer, request: repeats }])).toEqual([
    'ADR: DR3, power 0 to 2, each frame 1 to 3 times, accepted',
  ]);
});

it('shows commands of which it knows little by what they have', () => {
  expect(
    macWords([
      { name: 'LinkADRAns', payload: accepted },
      { name: 'DevStatusAns', payload: { battery: 127, margin: 9 } },
      { name: 'LinkCheckAns', payload: { margin: 20, gwCnt: 1 } },
      { name: 'Proprietary', payload: { bytes: 'AQ==' } },
    ]),
  ).toEqual([
    'ADR: accepted',
    'Device status: battery 50 %, margin 9 dB',
    'Link check: margin 20 dB, 1 gateway',
    'Proprietary',
  ]);
});
