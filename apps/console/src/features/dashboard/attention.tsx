import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { useTroubled } from '../../components/status/delivery-state.tsx';

const refreshMs = 30_000;

/** What needs attention in an organization, or in all organizations ('0'): nothing as long as all is well. */
export function useAttention(organizationID: string): { attention: ReactNode; isLoading: boolean } {
  const { troubled, isLoading } = useTroubled(organizationID);
  const isOffered = useOffered('attention', 'list', false);
  const attention = useQuery({
    ...query('attention', 'list', { organizationID, limit: 0 }),
    refetchInterval: refreshMs,
    enabled: isOffered,
  });
  const counts = attention.data?.counts ?? [];
  // Loaded on demand: there is seldom any.
  const parts = useQuery({
    queryKey: ['screen', 'attention'],
    queryFn: async () => {
      const [{ AttentionStrip }, { TroubledList }, { urgentOf }] = await Promise.all([
        import('./attention-strip.tsx'),
        import('./troubled-list.tsx'),
        import('../../components/attention/attention-words.ts'),
      ]);
      return { AttentionStrip, TroubledList, urgentOf };
    },
    staleTime: Infinity,
    structuralSharing: false,
    enabled: troubled.length > 0 || counts.length > 0,
  });
  const urgent = parts.data?.urgentOf(counts) ?? [];
  return {
    attention: parts.data && (
      <>
        {urgent.length > 0 && <parts.data.AttentionStrip counts={urgent} organizationID={organizationID} />}
        {troubled.length > 0 && <parts.data.TroubledList troubled={troubled} />}
      </>
    ),
    isLoading: isLoading || attention.isLoading || parts.isLoading,
  };
}
