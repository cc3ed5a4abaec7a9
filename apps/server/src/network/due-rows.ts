import type { DueClaim, DueWork, State } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';

export type DueRows = ReturnType<typeof dueRows>;

function dueStatements(database: Database, ns: number) {
  const ask = prepare<DueWork & { at: number }>()(database, (query, $) =>
    query
      .insertInto('ns_due')
      .values({ network_server_id: ns, kind: $.kind, key: $.key, due_at: $.at, turn: 1 })
      .onConflict((on) =>
        on.columns(['network_server_id', 'kind', 'key']).doUpdateSet((row) => ({
          turn: row('ns_due.turn', '+', 1),
          due_at: row
            .case()
            .when('excluded.due_at', '<', row.ref('ns_due.due_at'))
            .then(row.ref('excluded.due_at'))
            .else(row.ref('ns_due.due_at'))
            .end(),
        })),
      ),
  );
  const take = prepare<Parameters<State['claimDue']>[0]>()(database, (query, $) =>
    query
      .updateTable('ns_due')
      .set((row) => ({ due_at: $.leaseUntil, turn: row('turn', '+', 1) }))
      .where('network_server_id', '=', ns)
      .where((where) =>
        where(
          where.refTuple('kind', 'key'),
          'in',
          where
            .selectFrom('ns_due')
            .select(['kind', 'key'])
            .where('network_server_id', '=', ns)
            .where('due_at', '<=', $.now)
            .orderBy('due_at')
            .limit($.most)
            .$if(database.kind === 'postgres', (due) => due.forUpdate().skipLocked())
            .$asTuple('kind', 'key'),
        ),
      )
      .returning(['kind', 'key', 'turn']),
  );
  const next = prepare<object>()(database, (query) =>
    query.selectFrom('ns_due').select('due_at').where('network_server_id', '=', ns).orderBy('due_at').limit(1),
  );
  const postpone = prepare<DueClaim & { next: number }>()(database, (query, $) =>
    query
      .updateTable('ns_due')
      .set({ due_at: $.next })
      .where('network_server_id', '=', ns)
      .where('kind', '=', $.kind)
      .where('key', '=', $.key)
      .where('turn', '=', $.turn),
  );
  const hurry = prepare<{ after: number; to: number }>()(database, (query, $) =>
    query.updateTable('ns_due').set({ due_at: $.to }).where('network_server_id', '=', ns).where('due_at', '>', $.after),
  );
  const remove = prepare<DueClaim>()(database, (query, $) =>
    query
      .deleteFrom('ns_due')
      .where('network_server_id', '=', ns)
      .where('kind', '=', $.kind)
      .where('key', '=', $.key)
      .where('turn', '=', $.turn),
  );
  return { ask, take, next, postpone, hurry, remove };
}

/** Due work as rows. A claim is an update: the instance that updates a row has the work. */
export function dueRows(database: Database, ns: number) {
  const { ask, take, next, postpone, hurry, remove } = dueStatements(database, ns);
  const listeners: ((at: number) => void)[] = [];

  function notify(at: number): void {
    database.afterCommit(() => {
      for (const listen of listeners) listen(at);
    });
  }

  return {
    ask: async (work: DueWork, at: number): Promise<void> => {
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
    hurry: async (which: { after: number; to: number }): Promise<void> => {
      await hurry.run(which);
      notify(which.to);
    },
    /** A power failure may undo a lease. Then the work is claimed again at once, which is not too early. */
    claim: (claim: Parameters<State['claimDue']>[0]): Promise<DueClaim[]> => take.allUnflushed(claim),
    nextAt: async (): Promise<number | null> => (await next.first({}))?.due_at ?? null,
    listen: (listener: (at: number) => void): void => {
      listeners.push(listener);
    },
  };
}
