import { type Kysely, sql } from 'kysely';
import { bitOf, otherKinds, unpackEvents, unpackNewestFirst } from './block.ts';
import { compareKeys, type EventKey } from './event-key.ts';
import type { HistoryEvent, HistoryPart } from './part.ts';
import type { HistoryTables } from './tables.ts';

/** The sealed events of a device whose events are above a position of the log: earlier ones are of another device. */
export function sealedPart(
  query: Kysely<HistoryTables>,
  { devEUI, above, kinds }: { devEUI: string; above: number; kinds: readonly string[] },
): HistoryPart {
  // An earlier release that ran beside this one did not know all kinds.
  const wanted = kinds.length === 0 ? 0 : kinds.reduce((sum, kind) => sum | bitOf(kind), otherKinds);
  const blocks = () =>
    query
      .selectFrom('event_block')
      .select(['from_at', 'from_seq', 'to_at', 'to_seq', 'unpacked', 'bytes'])
      .where('dev_eui', '=', devEUI)
      .where('from_pos', '>', above)
      .$if(wanted !== 0, (all) => all.where(sql<boolean>`(kinds & ${wanted}) <> 0`))
      .limit(1);

  return {
    older: async function* (before): AsyncGenerator<HistoryEvent> {
      for (let bound: EventKey | undefined = before; ; ) {
        const within: EventKey | undefined = bound;
        // The block that contains the bound first, then the ones that end before it.
        const block = await blocks()
          .$if(within !== undefined, (all) =>
            all.where(sql<boolean>`(from_at, from_seq) < (${within!.at}, ${within!.seq})`),
          )
          .orderBy('to_at', 'desc')
          .orderBy('to_seq', 'desc')
          .executeTakeFirst();
        if (!block) return;
        yield* unpackNewestFirst(block, within);
        bound = { at: block.from_at, seq: block.from_seq };
      }
    },
    newer: async function* (after): AsyncGenerator<HistoryEvent> {
      for (let bound = after; ; ) {
        const { at, seq }: EventKey = bound;
        const block = await blocks()
          .where(sql<boolean>`(to_at, to_seq) > (${at}, ${seq})`)
          .orderBy('to_at')
          .orderBy('to_seq')
          .executeTakeFirst();
        if (!block) return;
        for (const event of unpackEvents(block.bytes)) if (compareKeys(event, bound) > 0) yield event;
        bound = { at: block.to_at, seq: block.to_seq };
      }
    },
    since: async () => {
      const oldest = query.selectFrom('event_block').select('from_at').where('dev_eui', '=', devEUI);
      const block = await oldest.where('from_pos', '>', above).orderBy('to_at').limit(1).executeTakeFirst();
      return block?.from_at;
    },
  };
}
