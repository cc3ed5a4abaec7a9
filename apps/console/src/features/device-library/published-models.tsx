import type { LibraryModelListItem } from '@hilltop/contract';
import { Button, Group, Modal, Paper, Skeleton, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm/confirm-dialog.tsx';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Loaded } from '../../components/states/loaded.tsx';
import { PublishModel } from './publish-model.tsx';
import { UpdateProfiles } from './update-profiles.tsx';

const shown = 500;

type Open = { kind: 'publish' } | { kind: 'profiles' | 'withdraw'; model: LibraryModelListItem };

/** Models of this installation: device-profiles from which every organization can create its own. */
export function PublishedModels() {
  const [open, setOpen] = useState<Open | null>(null);
  const found = useQuery(query('library', 'listModels', { source: 'INSTALLATION', limit: shown, offset: 0 }));
  return (
    <Paper component="section" aria-labelledby="published-models" p={0}>
      <Group justify="space-between" p="md">
        <Title order={2} size="h3" id="published-models">
          Models of this installation
        </Title>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setOpen({ kind: 'publish' })}
        >
          Publish a device-profile
        </Button>
      </Group>
      <Loaded query={found} skeleton={<Skeleton height={90} m="md" />}>
        {({ result }) =>
          result.length === 0 ? (
            <EmptyState title="No models yet">
              Publish a device-profile, and every organization can create device-profiles from it. When it changes, you
              can update all of them.
            </EmptyState>
          ) : (
            <DataTable
              label="Models of this installation"
              columns={columnsOf(setOpen)}
              rows={result}
              rowKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      <ModelDialogs open={open} onClose={() => setOpen(null)} />
    </Paper>
  );
}

const columnsOf = (open: (dialog: Open) => void): Column<LibraryModelListItem>[] => [
  { header: 'Model', primary: true, cell: ({ vendor, name }) => `${vendor} ${name}` },
  { header: 'Description', card: 'cut', cell: ({ description }) => description || '–' },
  {
    header: 'Actions',
    hideHeader: true,
    fit: true,
    card: 'plain',
    cell: (model) => (
      <Group gap="xs" wrap="nowrap">
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Device-profiles created from ${model.name}`}
          onClick={() => open({ kind: 'profiles', model })}
        >
          Device-profiles
        </Button>
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Withdraw ${model.name}`}
          onClick={() => open({ kind: 'withdraw', model })}
        >
          Withdraw
        </Button>
      </Group>
    ),
  },
];

function ModelDialogs({ open, onClose }: { open: Open | null; onClose: () => void }) {
  return (
    <>
      <Modal opened={open?.kind === 'publish'} onClose={onClose} title="Publish a device-profile">
        <PublishModel onDone={onClose} />
      </Modal>
      <Modal
        opened={open?.kind === 'profiles'}
        onClose={onClose}
        title={open?.kind === 'profiles' ? `Device-profiles created from ${open.model.name}` : ''}
        size="xl"
      >
        {open?.kind === 'profiles' && <UpdateProfiles modelID={open.model.id} />}
      </Modal>
      <ConfirmDialog
        opened={open?.kind === 'withdraw'}
        onClose={onClose}
        title="Withdraw model"
        question="Organizations can no longer create device-profiles from this model. Existing ones stay as they are."
        name={open?.kind === 'withdraw' ? open.model.name : ''}
        action="Withdraw model"
        onConfirm={async () => {
          if (open?.kind !== 'withdraw') return;
          const call = api.library.withdraw({ id: open.model.id });
          await perform(call, { changed: ['library'], done: 'model has been withdrawn' });
        }}
      />
    </>
  );
}
