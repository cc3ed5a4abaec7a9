import type { DueClaim, DueWork, State } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';

export type DueRows = ReturnType<typeof dueRows>;

const inServer = { ns: 'int8' } as const;
const claimColumns = { kind: 'text', key: 'text', turn: 'int8' } as const;
const ofClaim = 'network_server_id = $ns and kind = $kind and key = $key and ns_due.turn = $turn';

const askStatement = statement()({
  sql: ({ values }) => `insert into ns_due (network_server_id, kind, key, due_at, turn)
    ${values('$ns, $kind, $key, $at, 1')}
    on conflict (network_server_id, kind, key) do update set
      turn = ns_due.turn + 1,
      due_at = case when excluded.due_at < ns_due.due_at then excluded.due_at else ns_due.due_at end`,
  fixed: inServer,
  given: { kind: 'text', key: 'text', at: 'int8' },
  batch: { rowKey: 'key' },
});

/** `askStatement` and a claim in one. */
const askAndClaimStatement = statement<RowOf<'ns_due', 'turn'>>()({
  sql: ({ values }) => `insert into ns_due (network_server_id, kind, key, due_at, turn)
    ${values('$ns, $kind, $key, $leaseUntil, 1')}
    on conflict (network_server_id, kind, key) do update set turn = ns_due.turn + 1, due_at = excluded.due_at
    returning turn`,
  fixed: inServer,
  given: { kind: 'text', key: 'text', leaseUntil: 'int8' },
  batch: { rowKey: 'key' },
});

const takeStatement = statement<RowOf<'ns_due', 'kind' | 'key' | 'turn'>>()({
  // SQLite would plan the statement anew for each value of a bare limit.
  sql: ({ kind }) => `update ns_due set due_at = $leaseUntil, turn = turn + 1
    where network_server_id = $ns and (kind, key) in (
      select kind, key from ns_due where network_server_id = $ns and due_at <= $now
      order by due_at limit ${kind === 'sqlite' ? '$most + 0' : '$most for update skip locked'}
    )
    returning kind, key, turn`,
  fixed: inServer,
  given: { now: 'int8', leaseUntil: 'int8', most: 'int8' },
});

const nextStatement = statement<RowOf<'ns_due', 'due_at'>>()({
  sql: 'select due_at from ns_due where network_server_id = $ns order by due_at limit 1',
  fixed: inServer,
});

const postponeStatement = statement()({
  sql: ({ from }) => `update ns_due set due_at = $next ${from} where ${ofClaim}`,
  fixed: inServer,
  given: { ...claimColumns, next: 'int8' },
  batch: { rowKey: 'key' },
});

const advanceStatement = statement()({
  sql: 'update ns_due set due_at = $to where network_server_id = $ns and due_at > $after',
  fixed: inServer,
  given: { after: 'int8', to: 'int8' },
});

const removeStatement = statement()({
  sql: ({ using }) => `delete from ns_due ${using} where ${ofClaim}`,
  fixed: inServer,
  given: claimColumns,
  batch: { rowKey: 'key' },
});

const dueStatements = (database: Database, ns: number) => ({
  ask: askStatement(database, { ns }),
  askAndClaim: askAndClaimStatement(database, { ns }),
  take: takeStatement(database, { ns }),
  next: nextStatement(database, { ns }),
  postpone: postponeStatement(database, { ns }),
  advance: advanceStatement(database, { ns }),
  remove: removeStatement(database, { ns }),
});

/** Due work as rows. A claim is an update: the instance that updates a row has the work. */
export function dueRows(database: Database, ns: number) {
  const { ask, askAndClaim, take, next, postpone, advance, remove } = dueStatements(database, ns);
  const listeners: Parameters<State['onDue']>[0][] = [];

  function notify(at: number, claim?: DueClaim): void {
    database.afterCommit(() => {
      for (const listen of listeners) listen(at, claim);
    });
  }

  return {
    ask: async (work: DueWork, at: number, leaseUntil?: number): Promise<void> => {
      if (leaseUntil !== undefined) {
        const { turn } = (await askAndClaim.first({ ...work, leaseUntil }))!;
        return notify(leaseUntil, { ...work, turn });
      }
      await ask.run({ ...work, at });
      notify(at);
    },
    /** False when the work was requested or claimed again since. */
    settle: async (claim: DueClaim, at: number | null): Promise<boolean> => {
      if (at === null) return (await remove.run(claim)) > 0;
      const changed = await postpone.run({ ...claim, next: at });
      notify(at);
      return changed > 0;
    },
    advance: async (which: { after: number; to: number }): Promise<void> => {
      await advance.run(which);
      notify(which.to);
    },
    /** A power failure may undo a lease. Then the work is claimed again at once, which is not too early. */
    claim: (claim: Parameters<State['claimDue']>[0]): Promise<DueClaim[]> => take.allUnflushed(claim),
    nextAt: async (): Promise<number | null> => (await next.first({}))?.due_at ?? null,
    listen: (listener: Parameters<State['onDue']>[0]): void => {
      listeners.push(listener);
    },
  };
}
