import { expect, it } from 'vitest';
import { classText, outlookText } from './device-class.ts';

const time = (at: string) => at.slice(11, 19);
const nextAt = '2026-11-22T10:00:05Z';

it('names the class of a device', () => {
  expect(classText({ deviceClass: 'CLASS_C' })).toBe('C: listens all the time');
  expect(classText({ deviceClass: 'UNKNOWN' })).toBe('n/a');
});

it.each([
  [{ deviceClass: 'UNKNOWN', nextAt: null, awaitsAcknowledgement: false }, null],
  [
    { deviceClass: 'CLASS_A', nextAt: null, awaitsAcknowledgement: false },
    'The next downlink is sent after the next uplink.',
  ],
  [
    { deviceClass: 'CLASS_B', nextAt, awaitsAcknowledgement: false },
    'The next downlink is sent in the ping slot at 10:00:05.',
  ],
  [{ deviceClass: 'CLASS_C', nextAt, awaitsAcknowledgement: false }, 'The next one leaves at 10:00:05.'],
  [
    { deviceClass: 'CLASS_C', nextAt, awaitsAcknowledgement: true },
    'The first downlink was sent. The device can acknowledge it until 10:00:05.',
  ],
] as const)('says when the next downlink of %o leaves', (listening, text) => {
  expect(outlookText(listening, time)).toBe(text);
});
