import type { AttentionItem, ConditionName } from '@hilltop/contract';
import { conditionOf } from '@hilltop/contract/conditions';
import { Button } from '@mantine/core';
import { isSnoozed, nameOf, pageOf, valueText } from '../../components/attention/attention-words.ts';
import { joinErrorText } from '../../components/join-doctor/join-errors.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { AppLink } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { paths } from '../../paths.ts';

interface Wanted {
  isOfAll: boolean;
  condition?: ConditionName;
  hasReasons: boolean;
  /** Undefined for users who may not snooze. */
  onSnooze: ((item: AttentionItem) => void) | undefined;
}

export function columnsOf({ isOfAll, condition, hasReasons, onSnooze }: Wanted): Column<AttentionItem>[] {
  const value = condition && conditionOf(condition).value;
  return [
    { header: 'Name', primary: true, share: 2, cell: (item) => <Subject of={item} /> },
    ...(isOfAll ? [organization] : []),
    { header: 'Since', width: 110, cell: ({ since }) => <LastSeen at={since} /> },
    ...(value ? [{ header: value.label, fit: true, align: 'right', cell: valueText } as const] : []),
    ...(hasReasons ? [reason] : []),
    ...(onSnooze ? [snooze(onSnooze)] : []),
  ];
}

const reason: Column<AttentionItem> = {
  header: 'Reason',
  share: 3,
  card: 'folded',
  cell: ({ text }) => {
    const words = joinErrorText(text);
    return <span title={words}>{words || '–'}</span>;
  },
};

function Subject({ of: item }: { of: AttentionItem }) {
  const page = pageOf(item);
  return page === undefined ? nameOf(item) : <AppLink to={page}>{nameOf(item)}</AppLink>;
}

const organization: Column<AttentionItem> = {
  header: 'Organization',
  card: 'folded',
  cell: ({ organizationID, organizationName }) =>
    organizationName === '' ? '–' : <AppLink to={paths.organization.one(organizationID)}>{organizationName}</AppLink>,
};

const snooze = (onSnooze: (item: AttentionItem) => void): Column<AttentionItem> => ({
  header: 'Snooze',
  hideHeader: true,
  fit: true,
  cell: (item) => {
    const action = isSnoozed(item, Date.now()) ? 'Snoozed' : 'Snooze';
    return (
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        aria-label={`${action} ${nameOf(item)}`}
        onClick={() => onSnooze(item)}
      >
        {action}
      </Button>
    );
  },
});
