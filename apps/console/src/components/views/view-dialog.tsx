import type { View } from '@hilltop/contract';
import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { InlineError } from '../states/states.tsx';
import { contentOf, type ViewsOf } from './saved-views.ts';

interface Props {
  of: ViewsOf;
  /** The view to change; undefined to save a new one. */
  view: View | undefined;
  /** What a new view stores. */
  query: string;
  onClose: () => void;
  /** Shows a view, or with undefined the whole list. */
  onOpen: (view: View | undefined) => void;
}

/** Saves the present list as a view, or changes or deletes one. */
export function ViewDialog({ of, view, query, onClose, onOpen }: Props) {
  const [name, setName] = useState(view?.name ?? '');
  const [isStart, setStart] = useState(view?.isStart ?? false);
  const { save, remove, pending, failure } = useViewChanges({ of, view, query, onClose, onOpen });

  return (
    <Modal opened onClose={() => !pending && onClose()} title={view ? 'Edit view' : 'Save as a new view'}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void save({ name: name.trim(), isStart });
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            description={view ? undefined : 'The view stores the search, the filters, the order and the columns.'}
            maxLength={100}
            withAsterisk
            autoComplete="off"
            data-autofocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Checkbox
            label="Open the list with this view"
            checked={isStart}
            onChange={({ currentTarget }) => setStart(currentTarget.checked)}
          />
          <InlineError error={failure} />
          <Group justify="flex-end" gap="xs">
            {view && (
              <Button color="red" variant="outline" mr="auto" disabled={pending} onClick={() => void remove(view)}>
                Delete
              </Button>
            )}
            <Button variant="default" disabled={pending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={pending} disabled={name.trim() === ''}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The calls of the dialog. It closes after one that succeeds. */
function useViewChanges({ of, view, query, onClose, onOpen }: Props) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  async function run(call: () => Promise<void>) {
    setPending(true);
    setFailure(null);
    try {
      await call();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(false);
    }
  }

  const save = (given: Pick<View, 'name' | 'isStart'>) =>
    run(async () => {
      if (view) {
        const changes = { ...contentOf(view), ...given };
        await perform(api.view.update(changes), { changed: ['view'], done: 'view has been updated' });
        return;
      }
      const created = { ...of, ...given, query };
      const { id } = await perform(api.view.create(created), { changed: ['view'], done: 'view has been saved' });
      onOpen({ ...created, id });
    });

  const remove = ({ id }: View) =>
    run(async () => {
      await perform(api.view.delete({ id }), { changed: ['view'], done: 'view has been deleted' });
      onOpen(undefined);
    });

  return { save, remove, pending, failure };
}
