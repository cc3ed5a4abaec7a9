import type { DeliveryAttempt } from '@hilltop/contract';
import type { Chip, LogKind, Tone } from '../../components/live-log/log-row.tsx';
import { outcomes } from './outcome.tsx';

type Status = NonNullable<(typeof outcomes)[string]>['tone'];

const tones: Partial<Record<Status, Tone>> = { active: 'good', attention: 'attention', inactive: 'bad' };

/** Delivery attempts, identified by their number. */
export const deliveryKind: LogKind<DeliveryAttempt> = {
  noun: 'attempt',
  typeWidth: '6.5em',
  orderOf: ({ line }) => [line, 0],
  identityOf: ({ line }) => String(line),
  headlineOf: (attempt) => {
    const outcome = outcomes[attempt.outcome];
    return {
      at: attempt.at ?? '',
      type: outcome?.word ?? attempt.outcome,
      tone: (outcome && tones[outcome.tone]) ?? 'plain',
      chips: chipsOf(attempt),
    };
  },
  exportOf: (attempt) => attempt,
};

function chipsOf({ eventType, devEUI, status, milliseconds, message }: DeliveryAttempt): Chip[] {
  return [
    ...(eventType ? [{ text: eventType }] : []),
    ...(devEUI ? [{ text: devEUI }] : []),
    ...(status ? [{ text: `Status ${status}`, ...(status >= 300 && { tone: 'bad' as const }) }] : []),
    ...(eventType ? [{ text: `${milliseconds} ms` }] : []),
    ...(message ? [{ text: message }] : []),
  ];
}
