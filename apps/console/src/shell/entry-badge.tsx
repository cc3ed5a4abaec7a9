import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../api/queries.ts';
import { useOffered } from '../api/use-offered.ts';
import { urgentOf } from '../components/attention/attention-words.ts';
import type { EntryCount } from './entries.ts';
import classes from './entry-badge.module.css';

const refreshMs = 60_000;
const most = 999;

/** How many things need attention, or how many alerts fire. */
export default function EntryBadge({ of, organizationID }: EntryCount) {
  return of === 'alert' ? (
    <FiringBadge organizationID={organizationID} />
  ) : (
    <AttentionBadge organizationID={organizationID} />
  );
}

function AttentionBadge({ organizationID }: Pick<EntryCount, 'organizationID'>) {
  const isOffered = useOffered('attention', 'list', false);
  const { data } = useQuery({
    ...query('attention', 'list', { organizationID, limit: 0 }),
    refetchInterval: refreshMs,
    enabled: isOffered,
  });
  return <CountBadge count={urgentOf(data?.counts ?? []).reduce((sum, one) => sum + one.count, 0)} />;
}

function FiringBadge({ organizationID }: Pick<EntryCount, 'organizationID'>) {
  const isOffered = useOffered('alert', 'list', false);
  const { data } = useQuery({
    ...query('alert', 'list', { organizationID, limit: 0 }),
    refetchInterval: refreshMs,
    enabled: isOffered,
  });
  return <CountBadge count={data?.firingCount ?? 0} />;
}

function CountBadge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className={classes.badge}>
      <VisuallyHidden>: </VisuallyHidden>
      {count > most ? `${most}+` : count}
    </span>
  );
}
