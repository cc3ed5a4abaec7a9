import {
  type AuditActorKind,
  type AuditSubjectKind,
  auditLimits,
  auditSubject,
  type Principal,
  type StatusName,
} from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import type { Metrics } from '../metrics.ts';
import { type StoredChanges, storedChanges } from './changes.ts';
import type { AuditSettings } from './settings.ts';

export interface AuditDependencies {
  database: Database;
  clock: Pick<Clock, 'now'>;
  config: AuditSettings;
  log?: Pick<Logger, 'info'>;
  metrics?: Pick<Metrics, 'count'>;
}

export interface AuditActor {
  readonly kind: AuditActorKind;
  readonly id: string;
  readonly name: string;
}

/** One entry of the audit log. */
export interface AuditRecord {
  readonly actor: AuditActor;
  /** Of the caller. */
  readonly address: string;
  /** 0 or absent: the installation. */
  readonly organizationID?: number;
  /** The key of an operation, or a name of `auditEvents`. */
  readonly operation: string;
  readonly subject: { readonly kind: AuditSubjectKind; readonly id: string; readonly name?: string };
  readonly changes?: StoredChanges;
  /** `OK` when absent. */
  readonly outcome?: StatusName;
  readonly requestID?: string;
  readonly jobID?: string;
}

const columns = {
  at: 'timestamptz',
  actor_kind: 'text',
  actor_id: 'text',
  actor_name: 'text',
  address: 'text',
  organization_id: 'int8',
  operation: 'text',
  subject: 'text',
  subject_name: 'text',
  changes: 'text',
  outcome: 'text',
  request_id: 'text',
  job_id: 'text',
} as const;
const names = Object.keys(columns);

const inserting = statement<RowOf<'audit', 'id'>>()({
  sql: ({ values }) => `insert into audit (${names.join(', ')}) ${values(names.map((name) => `$${name}`).join(', '))}`,
  given: columns,
  batch: {},
});

const noChanges: StoredChanges = { changes: [] };

/**
 * Writes an entry, in the current transaction if there is one: then it is stored if and only if the change is. When it
 * cannot be written, the change must not be made: let the exception pass.
 */
export async function writeAudit(
  { database, clock, config, log, metrics }: AuditDependencies,
  record: AuditRecord,
): Promise<void> {
  const { actor, subject, address, operation, organizationID = 0, changes = noChanges } = record;
  const { outcome = 'OK', requestID = '', jobID = '' } = record;
  const names = { actor: cut(actor.name), subject: cut(subject.name ?? ''), id: cut(subject.id) };
  if (config.auditDays > 0)
    await inserting(database).run({
      at: clock.now(),
      actor_kind: actor.kind,
      actor_id: actor.id,
      actor_name: names.actor,
      address,
      organization_id: organizationID,
      operation,
      subject: auditSubject(subject.kind, names.id),
      subject_name: names.subject,
      changes: storedChanges(changes),
      outcome,
      request_id: requestID,
      job_id: jobID,
    });
  database.afterCommit(() => {
    metrics?.count('audit_entries', { outcome: outcome === 'OK' ? 'done' : 'refused' });
    const subjectOfLine = { kind: subject.kind, id: names.id, name: names.subject };
    const line = { audit: true, operation, actor, address, organizationID, subject: subjectOfLine };
    log?.info({ ...line, changes: changes.changes, outcome, requestID, ...(jobID && { jobID }) }, 'audit');
  });
}

const cut = (name: string): string => name.slice(0, auditLimits.nameCharacters);

/** The caller as an actor. */
export function auditActor(principal: (Principal & { readonly email?: string }) | null): AuditActor {
  if (principal === null) return { kind: 'NOBODY', id: '', name: '' };
  const { id } = principal;
  if (principal.kind === 'user') return { kind: 'USER', id, name: principal.email ?? '' };
  return { kind: 'API_KEY', id, name: `API key ${id}` };
}
