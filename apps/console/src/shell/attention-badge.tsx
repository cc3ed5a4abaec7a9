import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { query } from '../api/queries.ts';
import { useOffered } from '../api/use-offered.ts';
import { urgentOf } from '../components/attention/attention-words.ts';
import classes from './attention-badge.module.css';

const refreshMs = 60_000;
const most = 999;

/** How many things need attention in an organization, or in all ('0'). */
export default function AttentionBadge({ organizationID }: { organizationID: string }) {
  const isOffered = useOffered('attention', 'list', false);
  const { data } = useQuery({
    ...query('attention', 'list', { organizationID, limit: 0 }),
    refetchInterval: refreshMs,
    enabled: isOffered,
  });
  const count = urgentOf(data?.counts ?? []).reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  return (
    <span className={classes.badge}>
      <VisuallyHidden>: </VisuallyHidden>
      {count > most ? `${most}+` : count}
    </span>
  );
}
