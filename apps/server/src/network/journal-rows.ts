import type { Clock, JournalEntry, JournalID } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';

/** The instances that work on this database together. */
export interface Crew {
  /** Which of them this is. */
  id: string;
  /** Those that are there, as far as this one knows. */
  live: () => readonly string[];
}

/** What a process that works may take to finish a copy before others look whether it still does. */
const inHandForSeconds = 2;
/**
 * Own copies that are not in hand are with another instance, which finishes them when it comes to them: if it is behind,
 * others that did its work would only be behind as well. So they are looked at as soon as one is missed, and otherwise
 * after this time, as something may have got lost between instances.
 */
const elsewhereForSeconds = 10;
/** What an instance had that is missed now is left to nobody by then. */
const missedForMs = 15_000;

/** Copies as they came from gateways, until they are finished. Among several instances each row says who has it in hand. */
export function journalRows(database: Database, ns: number, crew: Crew | undefined, clock: Pick<Clock, 'monotonicMs'>) {
  const holder = crew && { holder: crew.id };
  const insert = prepare<{ copy: string }>()(
    database,
    (query, $) =>
      query
        .insertInto('ns_journal')
        .values({ network_server_id: ns, copy: $.copy, ...holder })
        .returning('id'),
    { joined: true },
  );
  const read = async (some: ReturnType<typeof rows>): Promise<JournalEntry[]> =>
    (await some.execute()).map(({ id, copy }) => ({ id, copy }));
  const rows = () => database.query.selectFrom('ns_journal').select(['id', 'copy']).where('network_server_id', '=', ns);

  const unfinished = (after: JournalID, most: number) => read(rows().where('id', '>', after).orderBy('id').limit(most));

  /**
   * As the index `ns_journal_beginning` has it, where several processes keep a journal. PostgreSQL is asked for equal ones:
   * of a range it believes that much of the table is in it, and reads the whole.
   */
  const beginning =
    database.kind === 'postgres' ? sql<string>`left(copy, 21) collate "C"` : sql<string>`substr(copy, 1, 21)`;
  const unfinishedLike = prepare<{ beginning: string }>()(
    database,
    (query, $) => {
      const found = query
        .selectFrom('ns_journal')
        .select(['id', 'copy'])
        .where('network_server_id', '=', ns)
        .where(beginning, '=', $.beginning);
      return crew ? found.where('holder', 'is not', null) : found;
    },
    { joined: true },
  );

  /** `others` as the text of an array. */
  const takeOver = (mine: string) =>
    prepare<{ others: string; inHand: string; ownAfter: number; after: JournalID; most: number }>()(
      database,
      (query, $) =>
        query
          .updateTable('ns_journal')
          .set({ holder: mine, held_since: sql<Date>`clock_timestamp()` })
          .where('id', 'in', (journal) =>
            journal
              .selectFrom('ns_journal')
              .select('id')
              .where('network_server_id', '=', ns)
              .where('id', '>', $.after)
              .where(
                'held_since',
                '<',
                sql<Date>`clock_timestamp() - case when holder = ${mine}
              then make_interval(secs => ${$.ownAfter}) else make_interval(secs => ${inHandForSeconds}) end`,
              )
              .where(sql<boolean>`coalesce(holder, '') <> all(${$.others}::text[])`)
              .where(sql<boolean>`id <> all(${$.inHand}::bigint[])`)
              .orderBy('id')
              .limit($.most)
              .forUpdate()
              .skipLocked(),
          )
          .returning(['id', 'copy']),
    );
  const abandonedBy = crew && takeOver(crew.id);
  const isAnyMissed = crew && watchFor(crew, clock);

  return {
    receive: async (copies: string[]): Promise<JournalID[]> => {
      const apart = insert.insert(copies.map((copy) => ({ copy })));
      if (apart) return (await apart).map(({ id }) => id);
      let ids: number[] = [];
      const run = async () => {
        const rows = await Promise.all(copies.map((copy) => insert.first({ copy })));
        ids = rows.map((row) => row!.id);
        return true;
      };
      await database.commit({ run });
      return ids;
    },
    unfinished,
    unfinishedBeginning: async (beginnings: readonly string[]): Promise<JournalEntry[]> => {
      const found = await Promise.all(beginnings.map((beginning) => unfinishedLike.all({ beginning })));
      return found.flat().sort((one, other) => one.id - other.id);
    },
    journalled: (ids: readonly JournalID[]) => read(rows().where('id', 'in', ids).orderBy('id')),
    abandoned: async (after: JournalID, most: number, inHand: ReadonlySet<JournalID>): Promise<JournalEntry[]> => {
      if (!crew || !abandonedBy) return await unfinished(after, most);
      const others = crew.live().filter((id) => id !== crew.id);
      const ownAfter = isAnyMissed?.() ? inHandForSeconds : elsewhereForSeconds;
      const found = await abandonedBy.all({
        others: `{${others.join(',')}}`,
        inHand: `{${[...inHand].join(',')}}`,
        ...{ ownAfter, after, most },
      });
      return found.sort((one, other) => one.id - other.id);
    },
  };
}

/** Whether an instance went in the time before the question. */
function watchFor({ live }: Crew, clock: Pick<Clock, 'monotonicMs'>): () => boolean {
  let there = live();
  let missedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = live();
    if (there.some((id) => !now.includes(id))) missedAt = clock.monotonicMs();
    there = now;
    return clock.monotonicMs() - missedAt < missedForMs;
  };
}
