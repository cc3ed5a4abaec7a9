import type { Database } from '../database/database.ts';
import { perDatabase } from '../database/per-database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';

/** Facts of one subject that are added together, by their numbers. */
export interface SubjectFacts {
  ids: number[];
}
/** By subject, in the order of subjects. */
export type Batch = readonly (readonly [subject: string, facts: SubjectFacts])[];

/** Facts up to number `upto` are counted for subjects up to `subject`; others are not. */
export interface FoldProgress {
  upto: number;
  subject: string;
}

/** How a round claims facts, so that each is counted exactly once even if the round is interrupted. */
export interface FactClaims {
  /**
   * Whether the number of every fact is needed. Otherwise the first number of each subject shows whether its facts
   * still exist.
   */
  isByNumber: boolean;
  /** The progress of an interrupted round, which has to be continued. */
  interrupted(): Promise<FoldProgress | undefined>;
  /**
   * Called in the transaction that adds a batch to its buckets, with the progress so far. Answers the part of the batch
   * to be counted. Undefined when another instance has claimed its facts; then the transaction must be rolled back.
   */
  claim<Part extends Batch[number]>(batch: readonly Part[], done: FoldProgress): Promise<readonly Part[] | undefined>;
  /** Called when all batches are written; `pause` is called between slices. */
  end(upto: number, pause: () => Promise<void>): Promise<void>;
}

export const claimsOf = perDatabase(
  (database): FactClaims => (database.kind === 'sqlite' ? removedAtTheEnd(database) : removedByNumber(database)),
);

const removeFacts = statement()({
  sql: 'delete from metric_fact where id in (select value::bigint from jsonb_array_elements_text($ids::jsonb))',
  given: { ids: 'json' },
  only: 'postgres',
});

/** On PostgreSQL rows of concurrent transactions become visible in any order: each fact is removed by its number. */
function removedByNumber(database: Database): FactClaims {
  return {
    isByNumber: true,
    interrupted: () => Promise.resolve(undefined),
    claim: async (batch) => {
      const ids = batch.flatMap(([, facts]) => facts.ids);
      return (await removeFacts(database).run({ ids })) === ids.length ? batch : undefined;
    },
    end: () => Promise.resolve(),
  };
}

/** Rows of one statement: they are adjacent, in some twenty pages. */
const removedPerStatement = 1000;
const nothing: FoldProgress = { upto: 0, subject: '' };

const progress = statement<FoldProgress>()({ sql: 'select upto, subject from metric_fold', only: 'sqlite' });

const noteProgress = statement()({
  sql: 'update metric_fold set upto = $upto, subject = $subject where upto = $wasUpto and subject = $wasSubject',
  given: { upto: 'int8', subject: 'text', wasUpto: 'int8', wasSubject: 'text' },
  only: 'sqlite',
});

const forgetProgress = statement()({
  sql: `update metric_fold set upto = ${nothing.upto}, subject = '${nothing.subject}' where upto = $upto`,
  given: { upto: 'int8' },
  only: 'sqlite',
});

const presentFacts = statement<RowOf<'metric_fact', 'id'>>()({
  sql: 'select id from metric_fact where id in (select value from json_each($ids))',
  given: { ids: 'json' },
  only: 'sqlite',
});

const postponeFacts = statement()({
  sql: `insert into metric_fact (subject, at, counters)
    select subject, at, counters from metric_fact
    where id <= $upto and subject in (select value from json_each($subjects))`,
  given: { subjects: 'json', upto: 'int8' },
  only: 'sqlite',
});

const removeCounted = statement()({
  sql: `delete from metric_fact
    where id in (select id from metric_fact where id <= $upto order by id limit ${removedPerStatement})`,
  given: { upto: 'int8' },
  only: 'sqlite',
});

/**
 * On SQLite the facts of a subject are in as many pages as there are facts, and removing them would write each page: ten
 * times as much as writing the buckets. So the progress is stored instead, and rows are removed at the end, in their order.
 */
function removedAtTheEnd(database: Database): FactClaims {
  const noted = async () => (await progress(database).first({})) ?? nothing;

  return {
    isByNumber: false,
    interrupted: async () => {
      const done = await noted();
      return done.upto > 0 ? done : undefined;
    },
    claim: async (batch, { upto, subject }) => {
      const next = { upto, subject: batch.at(-1)![0] };
      const was = subject === '' ? nothing : { upto, subject };
      if ((await noteProgress(database).run({ ...next, wasUpto: was.upto, wasSubject: was.subject })) !== 1)
        return undefined;
      // When a device was removed, all of its facts are gone.
      const rows = await presentFacts(database).all({ ids: batch.map(([, { ids }]) => ids[0]!) });
      const existing = new Set(rows.map(({ id }) => id));
      const removed = batch.filter(([, { ids }]) => !existing.has(ids[0]!)).map(([name]) => name);
      // A device that was removed and added again while facts were read has new facts among them: these get numbers of
      // the next round.
      if (removed.length > 0) await postponeFacts(database).run({ subjects: removed, upto });
      return batch.filter(([, { ids }]) => existing.has(ids[0]!));
    },
    end: async (upto, pause) => {
      for (let isMore = true; isMore; await pause()) {
        await database.commitSeparately({
          run: async () => {
            const isMine = (await noted()).upto === upto;
            isMore = isMine && (await removeCounted(database).run({ upto })) === removedPerStatement;
            if (isMine && !isMore) await forgetProgress(database).run({ upto });
            return true;
          },
        });
      }
    },
  };
}
