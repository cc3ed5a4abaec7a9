import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { query } from '../../api/queries.ts';

const read = query('trash', 'getContents', {});

/** For how many days deleted records can be restored; 0: not at all. Undefined until it is known. */
function useTrashDays(): number | undefined {
  const { data, isError } = useQuery({
    ...read,
    // Older servers delete for good.
    queryFn: async (context) =>
      (await api.trash.getContents.isOffered()) ? read.queryFn(context) : { contents: [], days: 0 },
    retry: false,
    staleTime: 60_000,
  });
  return isError ? 0 : data?.days;
}

const daysOf = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`;

/** "They can be restored for 30 days.", or that they cannot. Mount it when a dialog opens. */
export function Restorable({ subject = 'It' }: { subject?: 'It' | 'They' }) {
  const days = useTrashDays();
  if (days === undefined) return '…';
  return days === 0 ? `${subject} cannot be restored.` : `${subject} can be restored for ${daysOf(days)}.`;
}
