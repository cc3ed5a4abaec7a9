import type { Clock, JournalEntry, JournalID } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Form } from '../database/statement-text.ts';
import type { PreparedWrites } from '../database/unit.ts';

/** The instances that work on this database together. */
export interface Crew {
  /** The id of this instance. */
  id: string;
  /** The ids of the live instances, as this one sees them. */
  live: () => readonly string[];
}

/**
 * An unknown holder may have started a moment ago. An instance that was paused and is live again holds again what it
 * received. Older copies belong to an ended instance.
 */
const unknownForSeconds = 2;
/**
 * A peer processes the copies of this instance that are not its own job. If that peer is slow, others would be slow as
 * well. So this instance takes its copies back when the peer is gone (`left`), and otherwise after this time, since a
 * message between instances may have been lost.
 */
const elsewhereForSeconds = 10;

/** SQLite tells the id without being asked. */
const returningID = ({ kind }: Form) => (kind === 'sqlite' ? '' : 'returning id');

const insertStatement = statement<{ id: JournalID }>()({
  sql: (form) => `insert into ns_journal (network_server_id, copy) ${form.values('$ns, $copy')} ${returningID(form)}`,
  fixed: { ns: 'int8' },
  given: { copy: 'text' },
  batch: {},
});

const insertHeldStatement = statement<{ id: JournalID }>()({
  sql: (form) =>
    `insert into ns_journal (network_server_id, copy, holder) ${form.values('$ns, $copy, $holder')} ${returningID(form)}`,
  fixed: { ns: 'int8', holder: 'text' },
  given: { copy: 'text' },
  batch: {},
});

/** Reads unfinished copies by id. Instances that receive the same uplinks read nearly every copy of each other. */
const unfinishedAtStatement = statement<JournalEntry>()({
  sql: 'select id, copy from ns_journal where network_server_id = $ns and id = $id',
  fixed: { ns: 'int8' },
  given: { id: 'int8' },
  batch: {},
});

/**
 * The expression of the index `ns_journal_beginning`, which exists where several processes share a journal. The query
 * uses equality: for a range, PostgreSQL would expect a large part of the table and scan it.
 */
const beginningIn = ({ kind }: Form) => (kind === 'postgres' ? 'left(copy, 21) collate "C"' : 'substr(copy, 1, 21)');

const unfinishedLikeStatement = statement<JournalEntry>()({
  sql: (form) => `select id, copy from ns_journal where network_server_id = $ns and ${beginningIn(form)} = $beginning`,
  fixed: { ns: 'int8' },
  given: { beginning: 'text' },
  batch: {},
});

const heldLikeStatement = statement<JournalEntry>()({
  sql: (form) => `select id, copy from ns_journal
    where network_server_id = $ns and ${beginningIn(form)} = $beginning and holder is not null`,
  fixed: { ns: 'int8' },
  given: { beginning: 'text' },
  batch: {},
});

/** Takes over copies whose holder has ended or has not finished them in time. Lists are array texts. */
const takeOverStatement = statement<JournalEntry>()({
  sql: `update ns_journal set holder = $mine, held_since = clock_timestamp()
    where id in (
      select id from ns_journal
      where network_server_id = $ns and id > $after
        and coalesce(holder, '') <> all($others::text[])
        and (held_since < clock_timestamp() - make_interval(secs => case
              when holder = $mine then ${elsewhereForSeconds}::float8
              when holder = any($missed::text[]) then $missedFor::float8
              else ${unknownForSeconds}::float8 end)
            or (holder = $mine and id = any($left::bigint[])))
        and id <> all($inHand::bigint[])
      order by id limit $most
      for update skip locked
    )
    returning id, copy`,
  fixed: { ns: 'int8', mine: 'text' },
  given: {
    others: 'text',
    missed: 'text',
    inHand: 'text',
    left: 'text',
    missedFor: 'float8',
    after: 'int8',
    most: 'int8',
  },
  only: 'postgres',
});

/**
 * A gateway waits some 100 ms for an acknowledgement, and the deduplication window runs meanwhile: copies wait for a
 * transaction that is written anyway.
 */
const acknowledgementWaitMs = 15;

const journalStatements = (database: Database, ns: number, crew: Crew | undefined) => ({
  insert: crew ? insertHeldStatement(database, { ns, holder: crew.id }) : insertStatement(database, { ns }),
  unfinishedAt: unfinishedAtStatement(database, { ns }),
  unfinishedLike: (crew ? heldLikeStatement : unfinishedLikeStatement)(database, { ns }),
});

/** The journal: copies from gateways until they are processed. With several instances each row names its holder. */
export function journalRows(database: Database, ns: number, crew: Crew | undefined, clock: Pick<Clock, 'monotonicMs'>) {
  const { insert, unfinishedAt, unfinishedLike } = journalStatements(database, ns, crew);
  const read = async (query: ReturnType<typeof rows>): Promise<JournalEntry[]> =>
    (await query.execute()).map(({ id, copy }) => ({ id, copy }));
  const rows = () => database.query.selectFrom('ns_journal').select(['id', 'copy']).where('network_server_id', '=', ns);

  const unfinished = (after: JournalID, most: number) => read(rows().where('id', '>', after).orderBy('id').limit(most));

  const abandonedBy = crew && takeOverStatement(database, { ns, mine: crew.id });
  const missedNow = crew && missedInstances(crew, clock);

  return {
    receive: async (copies: string[]): Promise<JournalID[]> => {
      const inserted = insert.insert(copies.map((copy) => ({ copy })));
      if (inserted) return (await inserted).map(({ id }) => id);
      let ids: number[] = [];
      const run = async () => {
        ids = await Promise.all(copies.map((copy) => insert.id({ copy })));
        return true;
      };
      const prepared: PreparedWrites = {
        statements: copies.map((copy) => ({ query: insert.query({ copy }) })),
        onWritten: (results) => {
          ids = results as number[];
        },
      };
      await database.commit({ run, prepared }, { maxWaitMs: acknowledgementWaitMs });
      return ids;
    },
    unfinished,
    unfinishedBeginning: async (beginnings: readonly string[]): Promise<JournalEntry[]> => {
      const found = await Promise.all(beginnings.map((beginning) => unfinishedLike.all({ beginning })));
      return found.flat().sort(byID);
    },
    journalled: async (ids: readonly JournalID[]): Promise<JournalEntry[]> =>
      (await Promise.all(ids.map((id) => unfinishedAt.all({ id })))).flat().sort(byID),
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
      return found.sort(byID);
    },
  };
}

const byID = (a: JournalEntry, b: JournalEntry) => a.id - b.id;

/** The text of a PostgreSQL array. */
const arrayOf = (values: readonly (string | number)[]) => `{${values.join(',')}}`;

/** Instances that were live and are missed now, and the time since the last of them was missed. */
function missedInstances({ live }: Crew, clock: Pick<Clock, 'monotonicMs'>) {
  let lastLive = live();
  const missed = new Set<string>();
  let missedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = live();
    for (const id of lastLive) if (!now.includes(id)) missed.add(id);
    if (lastLive.some((id) => !now.includes(id))) missedAt = clock.monotonicMs();
    for (const id of now) missed.delete(id);
    lastLive = now;
    const forSeconds = Math.min((clock.monotonicMs() - missedAt) / 1000, unknownForSeconds);
    // After this time all missing instances are treated alike.
    if (forSeconds === unknownForSeconds) missed.clear();
    return { missed: [...missed], forSeconds };
  };
}
