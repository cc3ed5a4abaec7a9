import type { AttentionCount, AttentionItem, Operations, ResponseOf } from '@hilltop/contract';
import { conditionOf } from '@hilltop/contract/conditions';
import { Button, Group, Paper, Stack, Switch, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { countText, formatClock, listOf, severities, urgentOf } from '../../components/attention/attention-words.ts';
import { useNow } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { DataTable, TableSkeleton } from '../../components/list/data-table.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorPage } from '../../components/states/error-pages.tsx';
import { Status } from '../../components/status/status.tsx';
import { useMay } from '../../session/session.tsx';
import { columnsOf } from './attention-columns.tsx';
import { SnoozeDialog } from './snooze-dialog.tsx';

/** What needs attention in an organization. */
export function OrganizationAttention() {
  return <AttentionPage organizationID={useIDs().organizationID} />;
}

/** The same for all organizations and the installation. */
export function AllAttention() {
  return <AttentionPage organizationID="0" />;
}

const refreshMs = 30_000;
/** Of each condition, unless the user wants more. */
const fewRows = 5;
const manyRows = 1000;
/** Also while the page is loaded, so that the title does not move. */
const usually = 'Evaluated once a minute';
/** Conditions are evaluated once a minute. */
const lateMs = 180_000;

type Answer = ResponseOf<Operations['attention']['list']>;

function AttentionPage({ organizationID }: { organizationID: string }) {
  const [includeSnoozed, setIncludeSnoozed] = useState(false);
  const { data, error, refetch } = useQuery({
    ...query('attention', 'list', { organizationID, includeSnoozed, limit: fewRows }),
    refetchInterval: refreshMs,
    placeholderData: keepPreviousData,
  });
  const snoozed = data?.counts.reduce((sum, one) => sum + one.snoozed, 0) ?? 0;
  if (error && !data) return <ErrorPage error={error} retry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={organizationID === '0' ? 'All attention' : 'Attention'}
        facts={data ? <AsOf evaluatedAt={data.evaluatedAt} /> : usually}
        actions={
          (snoozed > 0 || includeSnoozed) && (
            <Switch
              label={`Show snoozed (${snoozed.toLocaleString('en')})`}
              checked={includeSnoozed}
              onChange={({ currentTarget }) => setIncludeSnoozed(currentTarget.checked)}
            />
          )
        }
      />
      {data ? <Groups answer={data} organizationID={organizationID} includeSnoozed={includeSnoozed} /> : <Loading />}
    </>
  );
}

function AsOf({ evaluatedAt }: { evaluatedAt: string | null }) {
  const now = useNow();
  if (evaluatedAt === null) return 'Not evaluated yet: the first evaluation is a minute after the start of the server';
  if (now - Date.parse(evaluatedAt) < lateMs) return usually;
  return <Status tone="attention">{`As of ${formatClock(evaluatedAt)}`}</Status>;
}

function Loading() {
  return (
    <Paper p={0}>
      <TableSkeleton columns={columnsOf({ isOfAll: false, hasReasons: false, onSnooze: undefined })} rows={fewRows} />
    </Paper>
  );
}

interface GroupsProps {
  answer: Answer;
  organizationID: string;
  includeSnoozed: boolean;
}

function Groups({ answer: { counts, result, deviceCount, gatewayCount }, ...rest }: GroupsProps) {
  const may = useMay();
  const [snoozing, setSnoozing] = useState<AttentionItem | null>(null);
  const shown = counts.filter(({ count }) => count > 0 || rest.includeSnoozed);
  const mayChange = may('device.create') || may('gateway.create');
  return (
    <Stack gap="md">
      {urgentOf(counts).length === 0 && (
        <Paper>
          <EmptyState icon={<IconCircleCheck size={32} />} title="Nothing needs attention">
            {`${counted(deviceCount, 'device')} and ${counted(gatewayCount, 'gateway')} are as expected.`}
          </EmptyState>
        </Paper>
      )}
      {shown.map((count) => (
        <ConditionGroup
          key={count.condition}
          count={count}
          rows={result.filter(({ condition }) => condition === count.condition)}
          onSnooze={mayChange ? setSnoozing : undefined}
          {...rest}
        />
      ))}
      {shown.length > 0 && (
        <Text c="dimmed" size="xs">
          A remote network-server reports less: its gateways are judged by their statistics only, and refused
          join-requests of its devices only where it reports them.
        </Text>
      )}
      <SnoozeDialog item={snoozing} onClose={() => setSnoozing(null)} />
    </Stack>
  );
}

const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

interface ConditionGroupProps extends Omit<GroupsProps, 'answer'> {
  count: AttentionCount;
  rows: readonly AttentionItem[];
  onSnooze: ((item: AttentionItem) => void) | undefined;
}

function ConditionGroup({ count, rows, organizationID, includeSnoozed, onSnooze }: ConditionGroupProps) {
  const now = useNow();
  const [isWhole, setWhole] = useState(false);
  const { condition } = count;
  const { sentence, label, severity } = conditionOf(condition);
  const { tone, word } = severities[severity];
  const all = count.count + (includeSnoozed ? count.snoozed : 0);
  const list = listOf(condition, organizationID);
  const more = useQuery({
    ...query('attention', 'list', { organizationID, condition, includeSnoozed, limit: manyRows }),
    enabled: isWhole,
  });
  const shown = (isWhole && more.data?.result) || rows;
  const hasReasons = shown.some(({ text }) => text !== '');
  const id = `condition-${condition}`;
  return (
    <section aria-labelledby={id}>
      <Paper p={0}>
        <Stack gap={4} px="sm" pt="sm" pb={4}>
          <Group gap="sm">
            <Title order={2} id={id}>
              {countText({ ...count, count: all }, now)}
            </Title>
            <Status tone={tone}>{word}</Status>
          </Group>
          <Text c="dimmed">{sentence}</Text>
        </Stack>
        <DataTable
          label={label}
          columns={columnsOf({ isOfAll: organizationID === '0', condition, hasReasons, onSnooze })}
          rows={shown}
          rowKey={(one) => one.id}
        />
        {all > shown.length && (
          <Group p="sm">
            {list ? (
              <AppLink to={list.to} {...(list.search && { search: list.search as never })}>
                {`Show all ${all.toLocaleString('en')}`}
              </AppLink>
            ) : (
              <Button size="xs" variant="default" loading={more.isLoading} onClick={() => setWhole(true)}>
                {`Show all ${all.toLocaleString('en')}`}
              </Button>
            )}
          </Group>
        )}
      </Paper>
    </section>
  );
}
