import type { DeliveryAttempt } from '@hilltop/contract';
import type { Chip, LogCells, LogKind, Tone } from '../../components/live-log/log-kind.ts';
import { gatewayEventsKind, subjectOf } from './delivered.ts';
import { outcomes } from './outcome.tsx';

type Status = NonNullable<(typeof outcomes)[string]>['tone'];

const tones: Partial<Record<Status, Tone>> = { active: 'good', attention: 'attention', inactive: 'bad' };

/** Delivery attempts, identified by their number. */
const kindWith = (subject: string): LogKind<DeliveryAttempt> => ({
  noun: 'attempt',
  typeWidth: '6.5em',
  chipsLabel: 'Result',
  columns: [
    { name: 'event', label: 'Event', width: '5em', isMinor: true },
    { name: 'device', label: subject, width: '10em' },
    { name: 'ms', label: 'ms', width: '4.5em', isNumber: true, isMinor: true },
  ],
  orderOf: ({ line }) => [line, 0],
  identityOf: ({ line }) => String(line),
  headlineOf: (attempt) => {
    const outcome = outcomes[attempt.outcome];
    return {
      at: attempt.at ?? '',
      type: outcome?.word ?? attempt.outcome,
      tone: (outcome && tones[outcome.tone]) ?? 'plain',
      chips: chipsOf(attempt),
      cells: cellsOf(attempt),
    };
  },
  exportOf: (attempt) => attempt,
});

const ofDevices = kindWith(subjectOf('').record);
const ofGateways = kindWith(subjectOf(gatewayEventsKind).record);

/** The columns of the deliveries of an integration. */
export const deliveryKind = (kind: string): LogKind<DeliveryAttempt> =>
  kind === gatewayEventsKind ? ofGateways : ofDevices;

function cellsOf({ eventType, devEUI, milliseconds }: DeliveryAttempt): LogCells {
  return { ...(eventType && { event: eventType, ms: String(milliseconds) }), ...(devEUI && { device: devEUI }) };
}

function chipsOf({ status, message }: DeliveryAttempt): Chip[] {
  return [
    ...(status ? [{ text: `Status ${status}`, ...(status >= 300 && { tone: 'bad' as const }) }] : []),
    ...(message ? [{ text: message }] : []),
  ];
}
