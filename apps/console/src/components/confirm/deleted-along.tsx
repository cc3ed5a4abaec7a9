import { useQueries } from '@tanstack/react-query';
import type { Read } from '../../api/queries.ts';
import { listed } from '../trash/trash-words.ts';

/** What is deleted along with a record: how many of each, by a list with limit 0. */
export interface CountedAlong {
  /** In the singular: "device". */
  noun: string;
  read: Read<{ totalCount: string | number }>;
}

const longestMs = 5_000;

/** "29 devices and 2 integrations go with it." Mount it when the dialog opens: it counts anew each time. */
export function DeletedAlong({ counted }: { counted: readonly CountedAlong[] }) {
  const answers = useQueries({
    queries: counted.map(({ read }) => ({ ...read, staleTime: longestMs, retry: false })),
  });
  if (answers.some(({ isPending }) => isPending)) return 'Counting what is deleted with it …';
  const counts = answers.flatMap(({ data }, index) => (data ? [[counted[index]!.noun, Number(data.totalCount)]] : []));
  return deletedText(counts as [string, number][]);
}

/** The sentence for counts by noun; nouns with none are left out. */
export function deletedText(counts: readonly (readonly [noun: string, count: number])[]): string {
  const words = listed(counts);
  if (words === '') return 'Nothing else is deleted with it.';
  const isOne = counts.reduce((sum, [, count]) => sum + count, 0) === 1;
  return `${words} ${isOne ? 'goes' : 'go'} with it.`;
}
