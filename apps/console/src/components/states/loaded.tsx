import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { ErrorState, FormSkeleton, NoPermission, NotFound } from './states.tsx';

interface Props<Data> {
  query: UseQueryResult<Data>;
  /** The shape of what comes. */
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What a query answers, or its skeleton, or what went wrong. Not found and not allowed take the whole place, also when they come after an answer. */
export function Loaded<Data>({ query, skeleton = <FormSkeleton />, children }: Props<Data>) {
  if (query.error instanceof ApiError && query.error.code === 5) return <NotFound />;
  if (query.error instanceof ApiError && query.error.code === 7) return <NoPermission />;
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return skeleton;
  return <ErrorState error={query.error} retry={() => void query.refetch()} />;
}
