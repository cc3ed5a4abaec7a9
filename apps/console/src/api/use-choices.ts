import { useQuery } from '@tanstack/react-query';
import type { Read } from './queries.ts';

/**
 * The values that the server accepts for a parameter of a read: empty when it does not know the parameter, undefined
 * until its service definition has been loaded.
 */
export function useChoices(
  { queryKey: [resource, verb], choices }: Read<unknown>,
  parameter: string,
  { enabled = true } = {},
): readonly string[] | undefined {
  const { data } = useQuery({
    queryKey: ['choices', resource, verb, parameter],
    queryFn: () => choices?.(parameter) ?? [],
    staleTime: Infinity,
    enabled,
  });
  return data;
}

/** Whether the server knows a parameter of a read. Until its service definition has been loaded, it is assumed to. */
export function useAccepts(
  { queryKey: [resource, verb], accepts }: Read<unknown>,
  parameter: string,
  { enabled = true } = {},
): boolean {
  const { data = true } = useQuery({
    queryKey: ['accepts', resource, verb, parameter],
    queryFn: () => accepts?.(parameter) ?? true,
    staleTime: Infinity,
    enabled,
  });
  return data;
}
