import type { DeviceListItem } from '@hilltop/contract';
import { Status } from '../../components/status/status.tsx';

const states = {
  ACTIVE: { tone: 'active', word: 'Active' },
  INACTIVE: { tone: 'inactive', word: 'Inactive' },
  NEVER_SEEN: { tone: 'never', word: 'Never seen' },
  JOIN_REFUSED: { tone: 'attention', word: 'Join refused' },
} as const;

/** The state of a device in at most two words; nothing when the server does not report it. */
export function DeviceState({ state, isDisabled = false }: Pick<DeviceListItem, 'state' | 'isDisabled'>) {
  if (isDisabled) return <Status tone="never">Disabled</Status>;
  if (state === undefined) return null;
  const { tone, word } = states[state];
  return <Status tone={tone}>{word}</Status>;
}
