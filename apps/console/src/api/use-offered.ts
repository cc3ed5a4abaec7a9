import type { Operations } from '@hilltop/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from './client.ts';

/** Whether the server has an operation of our own; older ones may not. Until its definition has been loaded: `before`. */
export function useOffered<R extends keyof Operations>(
  resource: R,
  verb: keyof Operations[R] & string,
  before = true,
): boolean {
  const { data = before } = useQuery({
    queryKey: ['offered', resource, verb],
    queryFn: () =>
      (api[resource] as unknown as Record<string, { isOffered: () => Promise<boolean> }>)[verb]!.isOffered(),
    staleTime: Infinity,
  });
  return data;
}
