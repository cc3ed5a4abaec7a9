import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { ErrorPage, NoPermission, NotFound } from './error-pages.tsx';
import { FormPageSkeleton, FormSkeleton } from './form-skeleton.tsx';
import { ErrorState } from './states.tsx';

/** The address of a page has no ID of a record, but some other text in its place. */
const invalidArgument = 3;

interface Props<Data> {
  query: UseQueryResult<Data>;
  /** The query is the whole page, header included. */
  isPage?: boolean;
  /** The skeleton. */
  skeleton?: ReactNode;
  /** Content below that does not wait for the query; removed when the query fails. */
  below?: ReactNode;
  children: (data: Data) => ReactNode;
}

/**
 * Renders the result of a query, its skeleton, or its error. Not found and no permission replace the whole content,
 * also when they come after a result.
 */
export function Loaded<Data>({
  query,
  isPage = false,
  skeleton = isPage ? <FormPageSkeleton /> : <FormSkeleton />,
  below,
  children,
}: Props<Data>) {
  const { data, error } = query;
  if (error instanceof ApiError && (error.code === 5 || (isPage && error.code === invalidArgument)))
    return <NotFound />;
  if (error instanceof ApiError && error.code === 7) return <NoPermission reason={error.reason} />;
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
