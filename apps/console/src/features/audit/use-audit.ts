import { useInfiniteQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { useAddressFilter } from '../../components/live-log/use-address-filter.ts';

const pageSize = 50;
/** More rows are a matter for a download. */
const mostRows = 1000;

const none = { actor: '', operation: '', subject: '', from: '', to: '', last: '' };

/** The filter of the audit log, in the address. */
export const useAuditFilter = () => useAddressFilter(none);

type Filter = ReturnType<typeof useAuditFilter>['text'];

const isTime = (at: string) => !Number.isNaN(Date.parse(at));

/** The request of a filter; times that cannot be read are ignored. */
export function auditRequest(organizationID: string, { actor, operation, subject, from, to }: Filter) {
  return {
    ...(organizationID !== '' && { organizationID }),
    actor,
    operation,
    subject,
    ...(isTime(from) && { start: from }),
    ...(isTime(to) && { end: to }),
  };
}

/** The entries that match, the newest first. */
export function useAudit(request: ReturnType<typeof auditRequest>) {
  const pages = useInfiniteQuery({
    queryKey: ['audit', 'entries', request],
    queryFn: ({ pageParam, signal }) =>
      query('audit', 'list', { ...request, before: pageParam, limit: pageSize }).queryFn({ signal }),
    initialPageParam: '',
    getNextPageParam: ({ older }) => older || undefined,
  });
  const entries = (pages.data?.pages ?? []).flatMap(({ result }) => result);
  return { ...pages, entries, days: pages.data?.pages[0]?.days, isFull: entries.length >= mostRows };
}
