import type { EventType } from './events.ts';

/** The kinds that integrations, MQTT clients and streams get. */
export const recordedKinds = [
  'up',
  'join',
  'ack',
  'txack',
  'status',
  'error',
  'location',
  'integration',
] as const satisfies readonly EventType[];

/** The kinds that only a history has. */
export const ownKinds = ['downlink', 'frame', 'dropped'] as const;
export type OwnKind = (typeof ownKinds)[number];

/** The kinds of events in a history. */
export const historyKinds = [...recordedKinds, ...ownKinds] as const;
