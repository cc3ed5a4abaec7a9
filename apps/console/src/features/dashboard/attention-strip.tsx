import type { AttentionCount } from '@hilltop/contract';
import { Group, Paper } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { attentionPage, countText, listOf } from '../../components/attention/attention-words.ts';
import { useNow } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import classes from './attention-strip.module.css';

/** "7 devices silent · 1 gateway offline since 08:23", each a link to its list. */
export function AttentionStrip({
  counts,
  organizationID,
}: {
  counts: readonly AttentionCount[];
  organizationID: string;
}) {
  const now = useNow();
  const page = attentionPage(organizationID);
  return (
    <Paper component="section" aria-label="Needs attention" p="sm" mb="md">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <IconAlertCircle size={18} className={classes.icon} aria-hidden />
        <ul className={classes.counts}>
          {counts.map((count) => {
            const list = listOf(count.condition, organizationID);
            return (
              <li key={count.condition}>
                <AppLink to={list?.to ?? page} {...(list?.search && { search: list.search as never })}>
                  {countText(count, now)}
                </AppLink>
              </li>
            );
          })}
        </ul>
        <AppLink to={page} className={classes.all}>
          Show all
        </AppLink>
      </Group>
    </Paper>
  );
}
