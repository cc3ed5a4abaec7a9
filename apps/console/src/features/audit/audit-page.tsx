import { auditedReads } from '@hilltop/contract/audit';
import { Button, NativeSelect, Paper, Skeleton } from '@mantine/core';
import { IconDownload, IconHistory } from '@tabler/icons-react';
import { ApiError } from '../../api/client.ts';
import { changingOperations } from '../../api/contract-facts.ts';
import { operationWords } from '../../components/audit/operation-words.ts';
import { startDownload } from '../../components/download/start-download.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LogFilters, TextFilter, TimeField } from '../../components/live-log/log-filters.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { NoPermission } from '../../components/states/error-pages.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import classes from './audit.module.css';
import { AuditRows } from './audit-rows.tsx';
import { auditRequest, useAudit, useAuditFilter } from './use-audit.ts';

const choices = [
  { value: '', label: 'All operations' },
  ...[...changingOperations, ...auditedReads]
    .map((value) => ({ value, label: operationWords(value) }))
    .sort((one, other) => one.label.localeCompare(other.label)),
];

/** Who changed what: of an organization, or of the whole installation. */
export function AuditPage() {
  const { organizationID } = useIDs();
  const { text, change, clear } = useAuditFilter();
  const request = auditRequest(organizationID, text);
  const audit = useAudit(request);
  const { entries, error, isPending, refetch, days } = audit;
  if (error instanceof ApiError && error.code === 7) return <NoPermission />;
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={
          <>
            {(['CSV', 'NDJSON'] as const).map((format) => (
              <Button
                key={format}
                variant="default"
                leftSection={<IconDownload size={16} aria-hidden />}
                onClick={() => void startDownload('AUDIT', format, request)}
              >
                {format}
              </Button>
            ))}
          </>
        }
      />
      <Paper p={0}>
        <LogFilters onClear={clear} wraps>
          <TextFilter label="Person" width={14} value={text.actor} onChange={(actor) => change({ actor })} />
          <NativeSelect
            aria-label="Operation"
            size="xs"
            w={160}
            data={choices}
            value={text.operation}
            onChange={({ currentTarget: { value } }) => change({ operation: value })}
          />
          <TextFilter
            label="Subject, such as device/…"
            width={22}
            value={text.subject}
            onChange={(subject) => change({ subject })}
          />
          <TimeField label="From" value={text.from} onChange={(from) => change({ from })} />
          <TimeField label="To" value={text.to} onChange={(to) => change({ to })} />
        </LogFilters>
        {isPending && <Skeleton height={400} />}
        {error && entries.length === 0 && <ErrorState error={error} retry={() => void refetch()} />}
        {!isPending && !error && entries.length === 0 && <NoEntries days={days} clear={clear} />}
        {entries.length > 0 && <AuditRows entries={entries} onFilter={change} />}
      </Paper>
      <End of={audit} />
    </>
  );
}

function NoEntries({ days, clear }: { days: number | undefined; clear: (() => void) | undefined }) {
  if (clear)
    return (
      <EmptyState title="No entry matches the filters">
        <Button variant="default" size="xs" onClick={clear}>
          Clear filters
        </Button>
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<IconHistory size={32} />}
      title={days === 0 ? 'The audit log is off' : 'Nothing was changed yet'}
    >
      {days === 0
        ? 'Set HILLTOP_AUDIT_DAYS to the number of days that changes are stored.'
        : 'Each change is listed here with the person and the values before and after it.'}
    </EmptyState>
  );
}

function End({ of }: { of: ReturnType<typeof useAudit> }) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, error, fetchNextPage, entries, isFull, days } = of;
  return (
    <div className={classes.end}>
      {isFetchNextPageError && <ErrorState error={error} retry={() => void fetchNextPage()} />}
      {hasNextPage && !isFull && !isFetchNextPageError && (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {entries.length === 0 ? 'Search on' : 'Load older'}
        </Button>
      )}
      {isFull && <p>Filter the entries, or download all of them.</p>}
      {!hasNextPage && entries.length > 0 && days !== undefined && <p>{`Stored for ${days} days.`}</p>}
    </div>
  );
}
