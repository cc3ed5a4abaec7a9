import type { Operations, TrashEntry } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { perform } from '../../api/queries.ts';
import { toast } from '../toast/toast.ts';
import { trashNouns } from './trash-words.ts';

interface Deleted {
  /** "device has been deleted" */
  done: string;
  /** The ID or EUI that the record had. */
  recordID: string;
  /** Its organization; undefined for an organization itself, which only global administrators restore. */
  organizationID: string | undefined;
  /** Resources whose lists change when it is restored. */
  changed: (keyof Operations)[];
}

const undoMs = 10_000;

/** Says that a record was deleted, with a button that restores it if it is in the trash. */
export async function showDeleted({ done, recordID, organizationID, changed }: Deleted): Promise<void> {
  const entry = await newestOf(recordID, organizationID);
  if (!entry) return toast.success(done);
  toast.success(
    <>
      {done} <UndoButton entry={entry} changed={changed} />
    </>,
    undoMs,
  );
}

/** Undefined when the trash is off, the server has none, or the user may not restore it. */
async function newestOf(recordID: string, organizationID: string | undefined): Promise<TrashEntry | undefined> {
  try {
    if (!(await api.trash.list.isOffered())) return undefined;
    const request = { recordID, limit: 1, ...(organizationID !== undefined && { organizationID }) };
    return (await api.trash.list(request)).result[0] as TrashEntry | undefined;
  } catch {
    return undefined;
  }
}

function UndoButton({ entry, changed }: { entry: TrashEntry; changed: (keyof Operations)[] }) {
  const [isPending, setPending] = useState(false);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={isPending}
      disabled={isPending}
      onClick={() => {
        setPending(true);
        void undo(entry, changed);
      }}
    >
      Undo
    </Button>
  );
}

async function undo({ id, kind }: TrashEntry, changed: (keyof Operations)[]): Promise<void> {
  try {
    const { refusedCount, refused } = await perform(api.trash.restore({ id }), { changed: [...changed, 'trash'] });
    const [first] = refused;
    if (refusedCount === 0) toast.success(`${trashNouns[kind]} has been restored`);
    else
      toast.error(
        refusedCount === 1 && first ? first.reason : `${refusedCount} records could not be restored: see Trash`,
      );
  } catch (error) {
    toast.error(explain(error));
  }
}
