import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { ErrorPage, ErrorState, FormPageSkeleton, FormSkeleton, NoPermission, NotFound } from './states.tsx';

interface Props<Data> {
  query: UseQueryResult<Data>;
  /** It makes the whole page, header included. */
  isPage?: boolean;
  /** The shape of what comes. */
  skeleton?: ReactNode;
  /** What stands below and need not wait for it; it goes when there is nothing for it to stand below. */
  below?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** What a query answers, or its skeleton, or what went wrong. Not found and not allowed take the whole place, also when they come after an answer. */
export function Loaded<Data>({
  query,
  isPage = false,
  skeleton = isPage ? <FormPageSkeleton /> : <FormSkeleton />,
  below,
  children,
}: Props<Data>) {
  const { data, error } = query;
  if (error instanceof ApiError && error.code === 5) return <NotFound />;
  if (error instanceof ApiError && error.code === 7) return <NoPermission />;
  if (data !== undefined || query.isPending)
    return (
      <>
        {data === undefined ? skeleton : children(data)}
        {below}
      </>
    );
  const Problem = isPage ? ErrorPage : ErrorState;
  return <Problem error={error} retry={() => void query.refetch()} />;
}
