import type { Clock, JournalEntry, JournalID } from '@hilltop/network-server';
import { type Compilable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';

/** The instances that work on this database together. */
export interface Crew {
  /** Which of them this is. */
  id: string;
  /** Those that are there, as far as this one knows. */
  live: () => readonly string[];
}

/**
 * A holder whom nobody knows may have come a moment ago; one that stood still and is back has again what it took since.
 * What is older is of one that has ended.
 */
const unknownForSeconds = 2;
/**
 * Own copies that are not in hand are with another instance, which finishes them when it comes to them: if it is behind,
 * others that did its work would only be behind as well. So they are looked at when that one is gone (`left`), and
 * otherwise after this time, as something may have got lost between instances.
 */
const elsewhereForSeconds = 10;

/** Copies as they came from gateways, until they are finished. Among several instances each row says who has it in hand. */
export function journalRows(database: Database, ns: number, crew: Crew | undefined, clock: Pick<Clock, 'monotonicMs'>) {
  const holder = crew && { holder: crew.id };
  const insert = prepare<{ copy: string }>()<{ id: number }>(
    database,
    (query, $) => {
      const inserted = query.insertInto('ns_journal').values({ network_server_id: ns, copy: $.copy, ...holder });
      return (database.kind === 'sqlite' ? inserted : inserted.returning('id')) as Compilable<{ id: number }>;
    },
    { isBatched: true },
  );
  const read = async (some: ReturnType<typeof rows>): Promise<JournalEntry[]> =>
    (await some.execute()).map(({ id, copy }) => ({ id, copy }));
  const rows = () => database.query.selectFrom('ns_journal').select(['id', 'copy']).where('network_server_id', '=', ns);

  const unfinished = (after: JournalID, most: number) => read(rows().where('id', '>', after).orderBy('id').limit(most));

  /** Instances that hear the same ask each other's copies of nearly every uplink. */
  const unfinishedAt = prepare<{ id: JournalID }>()(
    database,
    (query, $) =>
      query.selectFrom('ns_journal').select(['id', 'copy']).where('network_server_id', '=', ns).where('id', '=', $.id),
    { isBatched: true },
  );

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
    { isBatched: true },
  );

  /** Lists are texts of arrays. */
  const takeOver = (mine: string) =>
    prepare<Record<'others' | 'missed' | 'inHand' | 'left', string> & Record<'missedFor' | 'after' | 'most', number>>()(
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
              .where(sql<boolean>`coalesce(holder, '') <> all(${$.others}::text[])`)
              .where(
                sql<boolean>`(held_since < clock_timestamp() - make_interval(secs => case
                    when holder = ${mine} then ${elsewhereForSeconds}::float8
                    when holder = any(${$.missed}::text[]) then ${$.missedFor}::float8
                    else ${unknownForSeconds}::float8 end)
                  or (holder = ${mine} and id = any(${$.left}::bigint[])))`,
              )
              .where(sql<boolean>`id <> all(${$.inHand}::bigint[])`)
              .orderBy('id')
              .limit($.most)
              .forUpdate()
              .skipLocked(),
          )
          .returning(['id', 'copy']),
    );
  const abandonedBy = crew && takeOver(crew.id);
  const missedNow = crew && watchFor(crew, clock);

  return {
    receive: async (copies: string[]): Promise<JournalID[]> => {
      const apart = insert.insert(copies.map((copy) => ({ copy })));
      if (apart) return (await apart).map(({ id }) => id);
      let ids: number[] = [];
      const run = async () => {
        ids = await Promise.all(copies.map((copy) => insert.id({ copy })));
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
    journalled: async (ids: readonly JournalID[]): Promise<JournalEntry[]> =>
      (await Promise.all(ids.map((id) => unfinishedAt.all({ id })))).flat().sort((one, other) => one.id - other.id),
    abandoned: async (
      after: JournalID,
      most: number,
      { inHand, left }: { inHand: ReadonlySet<JournalID>; left: readonly JournalID[] },
    ): Promise<JournalEntry[]> => {
      if (!crew || !abandonedBy || !missedNow) return await unfinished(after, most);
      const others = crew.live().filter((id) => id !== crew.id);
      const { missed, forSeconds } = missedNow();
      const found = await abandonedBy.all({
        others: arrayOf(others),
        missed: arrayOf(missed),
        missedFor: forSeconds,
        inHand: arrayOf([...inHand]),
        left: arrayOf(left),
        after,
        most,
      });
      return found.sort((one, other) => one.id - other.id);
    },
  };
}

/** As the text of an array. */
const arrayOf = (values: readonly (string | number)[]) => `{${values.join(',')}}`;

/** Who was there before and is no more, and how long ago the last of them was found to be gone. */
function watchFor({ live }: Crew, clock: Pick<Clock, 'monotonicMs'>) {
  let there = live();
  const missed = new Set<string>();
  let missedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = live();
    for (const id of there) if (!now.includes(id)) missed.add(id);
    if (there.some((id) => !now.includes(id))) missedAt = clock.monotonicMs();
    for (const id of now) missed.delete(id);
    there = now;
    const forSeconds = Math.min((clock.monotonicMs() - missedAt) / 1000, unknownForSeconds);
    // From then on whoever is not there is treated alike.
    if (forSeconds === unknownForSeconds) missed.clear();
    return { missed: [...missed], forSeconds };
  };
}
