import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';

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
  /** Called when all batches are written; `rest` is called between slices. */
  end(upto: number, rest: () => Promise<void>): Promise<void>;
}

export const claimsOf = perDatabase(
  (database): FactClaims => (database.kind === 'sqlite' ? removedAtTheEnd(database) : removedByNumber(database)),
);

/** On PostgreSQL rows of concurrent transactions become visible in any order: each fact is removed by its number. */
function removedByNumber(database: Database): FactClaims {
  const remove = prepare<{ ids: number[] }>()(database, (query, $) =>
    query
      .deleteFrom('metric_fact')
      .where(sql<boolean>`id in (select value::bigint from jsonb_array_elements_text(${$.ids}::jsonb))`),
  );
  return {
    isByNumber: true,
    interrupted: () => Promise.resolve(undefined),
    claim: async (batch) => {
      const ids = batch.flatMap(([, facts]) => facts.ids);
      return (await remove.run({ ids })) === ids.length ? batch : undefined;
    },
    end: () => Promise.resolve(),
  };
}

/** Rows of one statement: they are adjacent, in some twenty pages. */
const removedPerStatement = 1000;
const nothing: FoldProgress = { upto: 0, subject: '' };

/**
 * On SQLite the facts of a subject are in as many pages as there are facts, and removing them would write each page: ten
 * times as much as writing the buckets. So the progress is stored instead, and rows are removed at the end, in their order.
 */
function removedAtTheEnd(database: Database): FactClaims {
  const progress = prepare()(database, (query) => query.selectFrom('metric_fold').select(['upto', 'subject']));
  const note = prepare<{ upto: number; subject: string; wasUpto: number; wasSubject: string }>()(database, (query, $) =>
    query
      .updateTable('metric_fold')
      .set({ upto: $.upto, subject: $.subject })
      .where('upto', '=', $.wasUpto)
      .where('subject', '=', $.wasSubject),
  );
  const forget = prepare<{ upto: number }>()(database, (query, $) =>
    query.updateTable('metric_fold').set(nothing).where('upto', '=', $.upto),
  );
  const present = prepare<{ ids: number[] }>()(database, (query, $) =>
    query.selectFrom('metric_fact').select('id').where(sql<boolean>`id in (select value from json_each(${$.ids}))`),
  );
  const postpone = prepare<{ subjects: string[]; upto: number }>()(database, (query, $) =>
    query
      .insertInto('metric_fact')
      .columns(['subject', 'at', 'counters'])
      .expression((from) =>
        from
          .selectFrom('metric_fact')
          .select(['subject', 'at', 'counters'])
          .where('id', '<=', $.upto)
          .where(sql<boolean>`subject in (select value from json_each(${$.subjects}))`),
      ),
  );
  const remove = prepare<{ upto: number }>()(database, (query, $) => {
    const oldest = query.selectFrom('metric_fact').select('id').where('id', '<=', $.upto);
    return query.deleteFrom('metric_fact').where('id', 'in', oldest.orderBy('id').limit(sql.lit(removedPerStatement)));
  });
  const noted = async () => (await progress.first({})) ?? nothing;

  return {
    isByNumber: false,
    interrupted: async () => {
      const done = await noted();
      return done.upto > 0 ? done : undefined;
    },
    claim: async (batch, { upto, subject }) => {
      const next = { upto, subject: batch.at(-1)![0] };
      const was = subject === '' ? nothing : { upto, subject };
      if ((await note.run({ ...next, wasUpto: was.upto, wasSubject: was.subject })) !== 1) return undefined;
      // When a device was removed, all of its facts are gone.
      const rows = await present.all({ ids: batch.map(([, { ids }]) => ids[0]!) });
      const existing = new Set(rows.map(({ id }) => id));
      const removed = batch.filter(([, { ids }]) => !existing.has(ids[0]!)).map(([name]) => name);
      // A device that was removed and added again while facts were read has new facts among them: these get numbers of
      // the next round.
      if (removed.length > 0) await postpone.run({ subjects: removed, upto });
      return batch.filter(([, { ids }]) => existing.has(ids[0]!));
    },
    end: async (upto, rest) => {
      for (let isMore = true; isMore; await rest()) {
        await database.commitSeparately({
          run: async () => {
            const isMine = (await noted()).upto === upto;
            isMore = isMine && (await remove.run({ upto })) === removedPerStatement;
            if (isMine && !isMore) await forget.run({ upto });
            return true;
          },
        });
      }
    },
  };
}
