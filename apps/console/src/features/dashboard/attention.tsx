import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTroubled } from '../../components/status/delivery-state.tsx';

/** What needs attention in an organization, or in all organizations ('0'): nothing as long as all is well. */
export function useAttention(organizationID: string): { attention: ReactNode; isLoading: boolean } {
  const { troubled, isLoading } = useTroubled(organizationID);
  // Loaded on demand: there is seldom any.
  const list = useQuery({
    queryKey: ['screen', 'troubledList'],
    queryFn: () => import('./troubled-list.tsx'),
    staleTime: Infinity,
    structuralSharing: false,
    enabled: troubled.length > 0,
  });
  const Troubled = list.data?.TroubledList;
  return {
    attention: Troubled && troubled.length > 0 && <Troubled troubled={troubled} />,
    isLoading: isLoading || list.isLoading,
  };
}
