import type { TrashEntry } from '@hilltop/contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { toast } from '../toast/toast.ts';
import { restoreEntry } from './restore.tsx';

interface Deleted {
  /** "device has been deleted" */
  done: string;
  /** The ID or EUI that the record had. */
  recordID: string;
  /** Its organization; undefined for an organization itself, which only global administrators restore. */
  organizationID: string | undefined;
}

const undoMs = 10_000;

/** Says that a record was deleted, with a button that restores it if it is in the trash. */
export async function showDeleted({ done, recordID, organizationID }: Deleted): Promise<void> {
  const entry = await newestOf(recordID, organizationID);
  if (!entry) return toast.success(done);
  toast.success(
    <>
      {done} <UndoButton entry={entry} />
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

function UndoButton({ entry }: { entry: TrashEntry }) {
  const [isPending, setPending] = useState(false);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      loading={isPending}
      disabled={isPending}
      onClick={() => {
        setPending(true);
        void undo(entry);
      }}
    >
      Undo
    </Button>
  );
}

async function undo(entry: TrashEntry): Promise<void> {
  try {
    const { count, refused } = await restoreEntry(entry);
    const [first] = refused;
    if (count === 1 && first) toast.error(first.reason);
    else if (count > 0) toast.error(`${count} records could not be restored: see Trash`);
  } catch (error) {
    toast.error(explain(error));
  }
}
