import { Status } from '../../components/status/status.tsx';

type Tone = Parameters<typeof Status>[0]['tone'];

/** The outcome of an attempt, in words. */
export const outcomes: Readonly<Record<string, { word: string; tone: Tone }>> = {
  DELIVERED: { word: 'Delivered', tone: 'active' },
  RETRIED: { word: 'Tried again', tone: 'attention' },
  PARKED: { word: 'Will be retried', tone: 'attention' },
  DEAD: { word: 'Given up', tone: 'inactive' },
  EXPIRED: { word: 'Expired', tone: 'inactive' },
  TEST: { word: 'Test', tone: 'never' },
  REPLAYED: { word: 'Replayed', tone: 'active' },
  STATE: { word: 'State', tone: 'never' },
  COMMAND: { word: 'Command', tone: 'attention' },
};

export function Outcome({ of }: { of: string }) {
  const { word, tone } = outcomes[of] ?? { word: of, tone: 'never' };
  return <Status tone={tone}>{word}</Status>;
}
