import { type APIKey, keyAccessChoices } from '@hilltop/contract';
import { ActionIcon, Group } from '@mantine/core';
import { IconKey, IconPencil, IconPlus, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { Identifier } from '../../components/copy/copy.tsx';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Expiry } from './expiry.tsx';
import { EditKeyDialog, ReplaceKeyDialog } from './key-dialogs.tsx';
import { useKeyScope } from './key-scope.ts';

const accessLabels = new Map<string | undefined, string>(keyAccessChoices.map(({ value, label }) => [value, label]));

interface ChosenKey {
  action: 'edit' | 'replace' | 'delete';
  of: APIKey;
}

type KeyColumn = Column<APIKey, 'name' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>;

const factColumns: KeyColumn[] = [
  {
    header: 'ID',
    fit: true,
    card: 'cut',
    cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} isShort />,
  },
  { header: 'Name', sort: 'name', primary: true, cell: ({ name }) => name },
  {
    header: 'Access',
    width: 110,
    include: 'details',
    cell: ({ access }) => accessLabels.get(access),
  },
  {
    header: 'Created',
    sort: 'createdAt',
    minWidth: 140,
    include: 'details',
    cell: ({ createdAt, createdBy }) => (
      <>
        <LastSeen at={createdAt} />
        {createdBy && ` by ${createdBy}`}
      </>
    ),
  },
  {
    header: 'Last used',
    sort: 'lastUsedAt',
    minWidth: 140,
    include: 'details',
    cell: ({ lastUsedAt, lastUsedAddress }) => (
      <>
        <LastSeen at={lastUsedAt} />
        {lastUsedAddress && ` from ${lastUsedAddress}`}
      </>
    ),
  },
  {
    header: 'Expires',
    sort: 'expiresAt',
    width: 150,
    include: 'details',
    cell: ({ expiresAt }) => <Expiry at={expiresAt} />,
  },
];

const actionColumn = (choose: (chosen: ChosenKey) => void, canChange: boolean): KeyColumn => ({
  header: 'Actions',
  hideHeader: true,
  align: 'right',
  width: canChange ? 140 : 60,
  cell: (of) => (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      {canChange && (
        <>
          <ActionIcon aria-label={`Edit ${of.name}`} title="Edit" onClick={() => choose({ action: 'edit', of })}>
            <IconPencil size={18} />
          </ActionIcon>
          <ActionIcon
            aria-label={`Replace ${of.name}`}
            title="Replace"
            onClick={() => choose({ action: 'replace', of })}
          >
            <IconRefresh size={18} />
          </ActionIcon>
        </>
      )}
      <ActionIcon aria-label={`Delete ${of.name}`} title="Delete" onClick={() => choose({ action: 'delete', of })}>
        <IconTrash size={18} />
      </ActionIcon>
    </Group>
  ),
});

/** The global API keys, or those of the organization or application in the URL. */
export function APIKeyList() {
  const scope = useKeyScope();
  /** The keys of an application are a tab of its page. */
  const isTab = scope.of.applicationID !== '0';
  const canChange = useOffered('apiKey', 'update', false);
  const [chosen, setChosen] = useState<ChosenKey | null>(null);
  const leaving = chosen?.action === 'delete' ? chosen.of : null;
  const create = (
    <LinkButton to={scope.create} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      {!isTab && <PageHeader title={scope.title} actions={create} />}
      <ResourceList
        label={scope.title}
        search="Search by name"
        toolbar={isTab && create}
        query={({ limit, offset, search, orderBy }) =>
          query('internal', 'listAPIKeys', { ...scope.of, limit, offset, search, orderBy, include: 'details' })
        }
        rowKey={({ id }) => id}
        columns={[...factColumns, actionColumn(setChosen, canChange)]}
        empty={{
          icon: <IconKey size={32} />,
          title: 'No API keys yet',
          text: 'A program calls the API with an API key. The scope of the key defines what it can do.',
          action: create,
        }}
      />
      {chosen?.action === 'edit' && <EditKeyDialog of={chosen.of} onClose={() => setChosen(null)} />}
      {chosen?.action === 'replace' && <ReplaceKeyDialog of={chosen.of} onClose={() => setChosen(null)} />}
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setChosen(null)}
        title={`Delete ${leaving?.name ?? ''}?`}
        question="Are you sure you want to delete this API key? Programs that use it lose access immediately."
        name={leaving?.name ?? ''}
        action="Delete"
        onConfirm={() =>
          perform(api.internal.deleteAPIKey({ id: leaving?.id ?? '' }), {
            changed: ['internal'],
            done: 'api key has been deleted',
          })
        }
      />
    </>
  );
}
