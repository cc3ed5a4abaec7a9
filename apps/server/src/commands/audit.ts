import type { StoredChanges } from '../audit/changes.ts';
import { type AuditRecord, writeAudit } from '../audit/write.ts';
import type { CommandDependencies } from './command-line.ts';

/** Writes the entry of a command, in its transaction. `operation` is that of the API which does the same. */
export function auditCommand(
  { database, config, now }: CommandDependencies,
  record: Pick<AuditRecord, 'operation' | 'subject' | 'organizationID' | 'changes'>,
): Promise<void> {
  const actor = { kind: 'COMMAND', id: '', name: 'command line' } as const;
  return writeAudit({ database, config, clock: { now: () => now } }, { ...record, actor, address: '' });
}

export const passwordSet = (secret: 'SET' | 'CHANGED'): StoredChanges => ({
  changes: [{ field: 'password', secret }],
});
