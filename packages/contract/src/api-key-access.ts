/** What the console says about API keys. In a file without messages: the console loads it with the pages of keys. */
import type { KeyAccessName } from './access.ts';

/** What a key may do within its scope. */
export const keyAccessChoices = [
  { value: 'FULL', label: 'Full', help: 'Can do everything that its scope allows.' },
  {
    value: 'READ',
    label: 'Read',
    help: 'Can read and receive events, but not read root keys. It cannot send or change anything.',
  },
  {
    value: 'READ_AND_SEND',
    label: 'Read and send',
    help: 'Can also enqueue and remove downlinks. It cannot change anything else.',
  },
] as const satisfies readonly { value: KeyAccessName; label: string; help: string }[];

/** How long a replaced key remains valid. */
export const replacedKeyHours = 24;
