import { type Kysely, sql } from 'kysely';
import { bitOf, otherKinds, unpackEvents, unpackNewestFirst } from './block.ts';
import { compareKeys, type EventKey, keyAfterAll } from './event-key.ts';
import type { HistoryPart, Portions } from './part.ts';
import { readingStatement } from './reading-statement.ts';
import type { HistoryStores } from './stores.ts';
import type { HistoryTables } from './tables.ts';

type Owner = { devEUI: string; above: number };
interface Block {
  from_at: number;
  from_seq: number;
  unpacked: number;
  bytes: Uint8Array;
}

/** The block that contains the key, or the last one that ends before it; later blocks are not looked at. */
const blockBefore = readingStatement<Owner & EventKey & { kinds: number }, Block>(`
  select from_at, from_seq, unpacked, bytes from event_block
  where dev_eui = $devEUI and from_pos > $above and (from_at, from_seq) < ($at, $seq) and (kinds & $kinds) <> 0
    and to_at <= coalesce((
      select to_at from event_block where dev_eui = $devEUI and (to_at, to_seq) >= ($at, $seq)
      order by to_at, to_seq limit 1
    ), ${keyAfterAll.at})
  order by to_at desc, to_seq desc limit 1`);

const oldestBlock = readingStatement<Owner, { from_at: number }>(`
  select from_at from event_block where dev_eui = $devEUI and from_pos > $above order by to_at limit 1`);

const allKinds = 2 ** 31 - 1;

export interface SealedBlocks {
  readonly kind: HistoryStores['kind'];
  readonly query: Kysely<HistoryTables>;
}

/** The sealed events of a device whose events are above a position of the log: earlier ones are of another device. */
export function sealedPart(
  { kind, query }: SealedBlocks,
  { devEUI, above, kinds }: Owner & { kinds: readonly string[] },
): HistoryPart {
  // An earlier release that ran beside this one did not know all kinds.
  const wanted = kinds.length === 0 ? allKinds : kinds.reduce((sum, one) => sum | bitOf(one), otherKinds);

  return {
    older: async function* (before = keyAfterAll): Portions {
      for (let bound: EventKey = before; ; ) {
        const { at, seq } = bound;
        const [block] = await blockBefore(query, kind, { devEUI, above, at, seq, kinds: wanted });
        if (!block) return;
        yield unpackNewestFirst(block, bound);
        bound = { at: block.from_at, seq: block.from_seq };
      }
    },
    newer: async function* (after): Portions {
      for (let bound = after; ; ) {
        const { at, seq }: EventKey = bound;
        const block = await query
          .selectFrom('event_block')
          .select(['to_at', 'to_seq', 'bytes'])
          .where('dev_eui', '=', devEUI)
          .where('from_pos', '>', above)
          .where(sql<boolean>`(kinds & ${wanted}) <> 0`)
          .where(sql<boolean>`(to_at, to_seq) > (${at}, ${seq})`)
          .orderBy('to_at')
          .orderBy('to_seq')
          .limit(1)
          .executeTakeFirst();
        if (!block) return;
        yield unpackEvents(block.bytes).filter((event) => compareKeys(event, { at, seq }) > 0);
        bound = { at: block.to_at, seq: block.to_seq };
      }
    },
    since: async () => (await oldestBlock(query, kind, { devEUI, above }))[0]?.from_at,
  };
}
