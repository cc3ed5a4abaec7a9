import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';

/** Facts of one subject that are added up together, by their numbers. */
export interface Some {
  ids: number[];
}
/** By subject, in its order. */
export type Batch = readonly (readonly [subject: string, some: Some])[];

/** Facts up to number `upto` are counted for subjects up to `subject`; of all others none are. */
export interface FoldProgress {
  upto: number;
  subject: string;
}

/** How facts stop waiting, so that each is counted once whatever happens in the middle of a round. */
export interface Taking {
  /** Whether the number of every fact is needed; else that of the first of a subject tells whether they are still there. */
  isByNumber: boolean;
  /** Where a round was broken off, to be gone on with. */
  brokenOff(): Promise<FoldProgress | undefined>;
  /**
   * In the transaction that adds a batch to its buckets, after what is done so far. Answers the part of it to be counted;
   * undefined when somebody else has taken its facts, and all of it must be undone.
   */
  take<Part extends Batch[number]>(batch: readonly Part[], done: FoldProgress): Promise<readonly Part[] | undefined>;
  /** When all batches are written; `rest` is called between slices. */
  end(upto: number, rest: () => Promise<void>): Promise<void>;
}

export const takingOf = perDatabase(
  (database): Taking => (database.kind === 'sqlite' ? allInTheEnd(database) : oneByOne(database)),
);

/** Rows of transactions that are written side by side come to be seen in any order: each fact goes by its number. */
function oneByOne(database: Database): Taking {
  const remove = prepare<{ ids: number[] }>()(database, (query, $) =>
    query
      .deleteFrom('metric_fact')
      .where(sql<boolean>`id in (select value::bigint from jsonb_array_elements_text(${$.ids}::jsonb))`),
  );
  return {
    isByNumber: true,
    brokenOff: () => Promise.resolve(undefined),
    take: async (batch) => {
      const ids = batch.flatMap(([, some]) => some.ids);
      return (await remove.run({ ids })) === ids.length ? batch : undefined;
    },
    end: () => Promise.resolve(),
  };
}

/** Of one statement: they lie together, in some twenty pages. */
const removedTogether = 1000;
const nothing: FoldProgress = { upto: 0, subject: '' };

/**
 * Facts of a subject lie in as many pages as there are, each of which would be written anew to remove them: ten times what
 * its buckets take. What is counted is noted instead, and rows go in the order in which they lie.
 */
function allInTheEnd(database: Database): Taking {
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
    return query.deleteFrom('metric_fact').where('id', 'in', oldest.orderBy('id').limit(sql.lit(removedTogether)));
  });
  const noted = async () => (await progress.first({})) ?? nothing;

  return {
    isByNumber: false,
    brokenOff: async () => {
      const done = await noted();
      return done.upto > 0 ? done : undefined;
    },
    take: async (batch, { upto, subject }) => {
      const next = { upto, subject: batch.at(-1)![0] };
      const was = subject === '' ? nothing : { upto, subject };
      if ((await note.run({ ...next, wasUpto: was.upto, wasSubject: was.subject })) !== 1) return undefined;
      // Those of a device that was removed meanwhile are gone, all of them.
      const rows = await present.all({ ids: batch.map(([, { ids }]) => ids[0]!) });
      const there = new Set(rows.map(({ id }) => id));
      const gone = batch.filter(([, { ids }]) => !there.has(ids[0]!)).map(([name]) => name);
      // One that was added again while facts were read has new ones among them: these get numbers of the next round.
      if (gone.length > 0) await postpone.run({ subjects: gone, upto });
      return batch.filter(([, { ids }]) => there.has(ids[0]!));
    },
    end: async (upto, rest) => {
      for (let isMore = true; isMore; await rest()) {
        await database.commitSeparately({
          run: async () => {
            const isMine = (await noted()).upto === upto;
            isMore = isMine && (await remove.run({ upto })) === removedTogether;
            if (isMine && !isMore) await forget.run({ upto });
            return true;
          },
        });
      }
    },
  };
}
