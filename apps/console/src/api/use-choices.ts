import { useQuery } from '@tanstack/react-query';
import type { Read } from './queries.ts';

/**
 * What the server says a parameter of a read can be; nothing where it does not know the parameter, undefined until that
 * is known. It comes with the documents that the calls are made of.
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
