import type { AlertMessage } from '@hilltop/contract';
import { Title } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { query } from '../../api/queries.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { Status } from '../../components/status/status.tsx';

const states = {
  WAITING: { word: 'waiting', tone: 'attention' },
  SENT: { word: 'sent', tone: 'active' },
  FAILED: { word: 'failed', tone: 'inactive' },
} as const;

const columns: Column<AlertMessage, never>[] = [
  { header: 'Created', width: 120, card: 'plain', cell: ({ createdAt }) => <LastSeen at={createdAt} /> },
  { header: 'Subject', primary: true, share: 2, cell: ({ subject }) => <span>{subject}</span> },
  { header: 'To', share: 2, card: 'plain', cell: ({ receiver }) => <span>{receiver}</span> },
  {
    header: 'State',
    width: 110,
    card: 'aside',
    cell: ({ state }) => <Status tone={states[state].tone}>{states[state].word}</Status>,
  },
  { header: 'Tries', width: 80, align: 'right', card: 'folded', cell: ({ attempts }) => attempts },
  { header: 'Problem', share: 2, card: 'folded', cell: ({ problem }) => <span>{problem || '–'}</span> },
];

/** What a rule has sent, and what it could not send. */
export function AlertMessages({ ruleID }: { ruleID: string }) {
  return (
    <section aria-label="Messages">
      <Title order={2} mt="lg" mb="sm">
        Messages
      </Title>
      <ResourceList
        label="Messages"
        refreshMs={10_000}
        query={({ limit, offset }) => query('alertRule', 'listMessages', { id: ruleID, limit, offset })}
        rowKey={({ id }) => id}
        columns={columns}
        empty={{
          icon: <IconMail size={32} />,
          title: 'No messages yet',
          text: 'Each message of the rule is listed here with what came of it.',
        }}
      />
    </section>
  );
}
