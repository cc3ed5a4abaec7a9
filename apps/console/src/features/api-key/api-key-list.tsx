import type { APIKey } from '@hilltop/contract';
import { ActionIcon } from '@mantine/core';
import { IconKey, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import { Identifier } from '../../components/copy/copy.tsx';
import { LinkButton } from '../../components/link/link.tsx';
import { ResourceList } from '../../components/list/resource-list.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { Expiry } from './expiry.tsx';
import { useCanExpire, useKeyScope } from './key-scope.ts';

/** The global API keys, or those of the organization in the URL. */
export function APIKeyList() {
  const scope = useKeyScope();
  const canExpire = useCanExpire();
  const [leaving, setLeaving] = useState<APIKey | null>(null);
  const create = (
    <LinkButton to={scope.create} leftSection={<IconPlus size={16} />}>
      Create
    </LinkButton>
  );
  return (
    <>
      <PageHeader title={scope.title} actions={create} />
      <ResourceList
        label={scope.title}
        search="Search by name"
        query={({ limit, offset, search, orderBy }) =>
          query('internal', 'listAPIKeys', { ...scope.of, limit, offset, search, orderBy, include: 'expiresAt' })
        }
        rowKey={({ id }) => id}
        columns={[
          {
            header: 'ID',
            fit: true,
            card: 'cut',
            cell: ({ id, name }) => <Identifier value={id} label={`ID of ${name}`} />,
          },
          { header: 'Name', sort: 'name', primary: true, cell: ({ name }) => name },
          ...(canExpire
            ? [{ header: 'Expires', width: 180, cell: ({ expiresAt }: APIKey) => <Expiry at={expiresAt} /> }]
            : []),
          {
            header: 'Delete',
            hideHeader: true,
            align: 'right',
            width: 60,
            cell: (key) => (
              <ActionIcon aria-label={`Delete ${key.name}`} onClick={() => setLeaving(key)}>
                <IconTrash size={18} />
              </ActionIcon>
            ),
          },
        ]}
        empty={{
          icon: <IconKey size={32} />,
          title: 'No API keys yet',
          text: 'A program calls the API with an API key. The scope of the key defines what it can do.',
          action: create,
        }}
      />
      <ConfirmDialog
        opened={leaving !== null}
        onClose={() => setLeaving(null)}
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
