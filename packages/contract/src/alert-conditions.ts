import type { ConditionName } from './conditions.ts';

/** What an alert rule can watch: a value, or one of the conditions that the server evaluates. Numbered in this order. */
export const alertConditions = [
  'VALUE',
  'DEVICE_SILENT',
  'NEVER_JOINED',
  'JOIN_REFUSED',
  'LOSS',
  'LOW_BATTERY',
  'LOW_MARGIN',
  'CODEC_ERRORS',
  'GATEWAY_OFFLINE',
  'GATEWAY_FLAPPING',
  'GATEWAY_NEVER_SEEN',
  'GATEWAY_REFUSES',
  'INTEGRATION_FAILING',
  'KEY_EXPIRES',
] as const satisfies readonly ('VALUE' | ConditionName)[];
