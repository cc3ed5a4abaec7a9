import type { Listening } from '@hilltop/contract';

const listens: Record<Listening['deviceClass'], string> = {
  UNKNOWN: 'n/a',
  CLASS_A: 'A: listens after its uplinks',
  CLASS_B: 'B: opens ping slots',
  CLASS_C: 'C: listens all the time',
};

/** The class of a device, in words. */
export function classText({ deviceClass }: Pick<Listening, 'deviceClass'>): string {
  return listens[deviceClass];
}

/** The letter of the class; nothing when it is unknown. */
export const classLetter = ({ deviceClass }: Pick<Listening, 'deviceClass'>): string | undefined =>
  deviceClass === 'UNKNOWN' ? undefined : deviceClass.slice('CLASS_'.length);

/** When the first queued downlink will be sent; `time` formats a time. */
export function outlookText(
  { deviceClass, nextAt, awaitsAcknowledgement }: Pick<Listening, 'deviceClass' | 'nextAt' | 'awaitsAcknowledgement'>,
  time: (at: string) => string,
): string | null {
  if (deviceClass === 'UNKNOWN') return null;
  if (nextAt === null) return 'The next downlink is sent after the next uplink.';
  if (awaitsAcknowledgement) return `The first downlink was sent. The device can acknowledge it until ${time(nextAt)}.`;
  return deviceClass === 'CLASS_B'
    ? `The next downlink is sent in the ping slot at ${time(nextAt)}.`
    : `The next one leaves at ${time(nextAt)}.`;
}
