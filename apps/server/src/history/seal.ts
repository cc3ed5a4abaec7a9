import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { noApplication } from '../event-log/event.ts';
import { historyFailPoint } from '../fail-points.ts';
import { bitOf, blockOverhead, mostInBlock, mostUnpacked, packText, textOf, unpackText } from './block.ts';
import { compareKeys } from './event-key.ts';
import { beginningsOf } from './foreign-devices.ts';
import { removeBeyond } from './limit-device.ts';
import type { HistoryEvent } from './part.ts';
import { readingStatement } from './reading-statement.ts';
import { SeriesWriter } from './series-writer.ts';
import type { HistoryStores } from './stores.ts';
import type { HistoryTables } from './tables.ts';

export interface SealRequest {
  /** No event can appear in the log at this position or below any more. */
  readonly upTo: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Events of a device, 0 without limit. */
  readonly perDevice: number;
  /** Seals all there is. */
  readonly isForced?: boolean;
}

export interface Sealed {
  readonly position: number;
  readonly sealed: number;
  readonly removed: number;
  /** Values of fields beyond the limit of a device, which are not in its series. */
  readonly omitted: number;
  /** Events that wait in the log. */
  readonly waiting: number;
  /** The last round did not change the position: the next one would not either. */
  readonly isStuck: boolean;
}

/** Few large rounds: each one unpacks and packs the last block of every device that sent something. */
const rowsPerRound = 200_000;
const positionsPerRead = 10_000;
const devicesPerRead = 500;
const longestWaitMs = 3_600_000;
const rowsPerRead = 250;

/**
 * Packs events of the log into blocks, when enough of them wait or the oldest waits for an hour. Each round is one
 * transaction with the position that it reaches: an event is in the log above the position, or in a block.
 */
export async function seal(
  stores: HistoryStores,
  { upTo, now, perDevice, isForced = false }: SealRequest,
): Promise<Sealed> {
  const { log, blocks } = stores;
  if (!blocks) return { position: 0, sealed: 0, removed: 0, omitted: 0, waiting: 0, isStuck: false };
  const total = { sealed: 0, removed: 0, omitted: 0 };
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const position = await sealedPosition(stores);
    const waiting = Math.max(0, upTo - position);
    const isStuck = position <= before;
    const result = { position, waiting, isStuck, ...total };
    if (waiting === 0 || isStuck) return result;
    before = position;
    const oldest = log.selectFrom('event').select('at').where('pos', '>', position).orderBy('pos').limit(1);
    const isOld = now - ((await oldest.executeTakeFirst())?.at ?? now) >= longestWaitMs;
    if (!isForced && !isOld && waiting < rowsPerRound) return result;
    const { sealed, removed, omitted } = await sealRound(stores, { position, upTo, perDevice });
    total.sealed += sealed;
    total.removed += removed;
    total.omitted += omitted;
  }
}

/** The position up to which all events are sealed. */
export async function sealedPosition({ blocks, kind }: Pick<HistoryStores, 'blocks' | 'kind'>): Promise<number> {
  if (!blocks) return 0;
  return (await readPosition(blocks.read, kind, {}))[0]!.sealed_pos;
}

const readPosition = readingStatement<object, { sealed_pos: number }>('select sealed_pos from history_state');

interface Round {
  readonly position: number;
  readonly upTo: number;
  readonly perDevice: number;
}

async function sealRound(stores: HistoryStores, { position, upTo, perDevice }: Round) {
  const { log, blocks } = stores;
  const { reached, positions } = await waitingPositions(log, { position, upTo });
  historyFailPoint('waiting events read');
  const change = await blocks!.write.transaction().execute(async (transaction) => {
    const change = { sealed: 0, removed: 0, bytes: 0, seriesBytes: 0, omitted: 0 };
    const devices = [...positions];
    for (let page = 0; page < devices.length; page += devicesPerRead) {
      const some = devices.slice(page, page + devicesPerRead);
      const beginnings = await beginningsOf(
        log,
        some.map(([devEUI]) => devEUI),
      );
      for (const [devEUI, ofDevice] of some) {
        const from = beginnings.get(devEUI);
        // Of an earlier device with this DevEUI.
        const own = from === undefined ? [] : ofDevice.filter((pos) => pos > from);
        if (own.length > 0) {
          const ofSealed = await sealDevice(stores, transaction, { devEUI, from: from!, perDevice, positions: own });
          for (const name of Object.keys(change) as (keyof typeof change)[]) change[name] += ofSealed[name];
          historyFailPoint('blocks written');
        }
        await yieldToEventLoop();
      }
    }
    const { numUpdatedRows } = await transaction
      .updateTable('history_state')
      .set({
        sealed_pos: reached,
        events: sql<number>`events + ${change.sealed - change.removed}`,
        bytes: sql<number>`bytes + ${change.bytes}`,
        series_bytes: sql<number>`series_bytes + ${change.seriesBytes}`,
      })
      .where('sealed_pos', '=', position)
      .executeTakeFirstOrThrow();
    if (Number(numUpdatedRows) !== 1) throw new Error('another instance seals events');
    return change;
  });
  historyFailPoint('sealed');
  return change;
}

interface DeviceRound extends Pick<Round, 'perDevice'> {
  readonly devEUI: string;
  readonly from: number;
  readonly positions: readonly number[];
}

async function sealDevice(
  stores: HistoryStores,
  transaction: Kysely<HistoryTables>,
  { devEUI, from, perDevice, positions }: DeviceRound,
) {
  const series = await SeriesWriter.open(transaction, { devEUI, from });
  const writer = await BlockWriter.open(transaction, { devEUI, from, perDevice });
  for (let at = 0; at < positions.length; at += rowsPerRead)
    for (const row of await rowsAt(stores, positions.slice(at, at + rowsPerRead)))
      if (await writer.add(row)) await series.add(row, row.pos);
  const { bytes: seriesBytes, omitted } = await series.finish();
  return { ...(await writer.finish()), seriesBytes, omitted };
}

/** The positions of the next round by device, and how far they reach. */
async function waitingPositions(log: HistoryStores['log'], { position, upTo }: Omit<Round, 'perDevice'>) {
  const positions = new Map<string, number[]>();
  for (let [from, count] = [position, 0]; ; ) {
    const rows = await log
      .selectFrom('event')
      .select(['pos', 'dev_eui'])
      .where('pos', '>', from)
      .where('pos', '<=', upTo)
      // Not the events of gateways.
      .where('application_id', '>=', noApplication)
      .orderBy('pos')
      .limit(positionsPerRead)
      .execute();
    for (const { pos, dev_eui } of rows) {
      const ofDevice = positions.get(dev_eui);
      if (ofDevice) ofDevice.push(pos);
      else positions.set(dev_eui, [pos]);
    }
    if (rows.length < positionsPerRead) return { reached: upTo, positions };
    from = rows.at(-1)!.pos;
    count += rows.length;
    if (count >= rowsPerRound) return { reached: from, positions };
    await yieldToEventLoop();
  }
}

type LogRow = HistoryEvent & { readonly pos: number };

function rowsAt({ log }: HistoryStores, positions: readonly number[]): Promise<LogRow[]> {
  return log
    .selectFrom('event')
    .select(['pos', 'at', 'seq', 'type', 'payload', 'note'])
    .where('pos', 'in', positions)
    .orderBy('pos')
    .execute();
}

interface OpenBlock {
  id: number | undefined;
  text: string;
  count: number;
  kinds: number;
  first: LogRow | undefined;
  last: LogRow | undefined;
  /** The size of the stored block that it replaces. */
  storedBytes: number;
}

const emptyBlock = (): OpenBlock => ({
  id: undefined,
  text: '',
  count: 0,
  kinds: 0,
  first: undefined,
  last: undefined,
  storedBytes: 0,
});

/** Appends the events of one device to its blocks, the last of which is filled first. */
class BlockWriter {
  readonly #query: Kysely<HistoryTables>;
  readonly #devEUI: string;
  readonly #perDevice: number;
  /** The key of the last event of the device in a block. */
  #last: { at: number; seq: number };
  #block: OpenBlock;
  #hasNewBlock = false;
  readonly #change = { sealed: 0, removed: 0, bytes: 0 };

  private constructor(
    query: Kysely<HistoryTables>,
    { devEUI, perDevice }: { devEUI: string; perDevice: number },
    last: { at: number; seq: number },
    block: OpenBlock,
  ) {
    this.#query = query;
    this.#devEUI = devEUI;
    this.#perDevice = perDevice;
    this.#last = last;
    this.#block = block;
  }

  static async open(
    query: Kysely<HistoryTables>,
    { devEUI, from, perDevice }: { devEUI: string; from: number; perDevice: number },
  ): Promise<BlockWriter> {
    const stored = await query
      .selectFrom('event_block')
      .selectAll()
      .where('dev_eui', '=', devEUI)
      .where('from_pos', '>', from)
      .orderBy('to_at', 'desc')
      .orderBy('to_seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const last = { at: stored?.to_at ?? Number.NEGATIVE_INFINITY, seq: stored?.to_seq ?? 0 };
    const given = { devEUI, perDevice };
    if (!stored || stored.count >= mostInBlock || stored.unpacked >= mostUnpacked)
      return new BlockWriter(query, given, last, emptyBlock());
    const { id, count, kinds, bytes } = stored;
    const storedBytes = bytes.length + blockOverhead;
    return new BlockWriter(query, given, last, {
      ...emptyBlock(),
      ...{ id, count, kinds, storedBytes, text: unpackText(bytes) },
    });
  }

  /** False: it was sealed before, and the position was set back. */
  async add(row: LogRow): Promise<boolean> {
    if (compareKeys(row, this.#last) <= 0) return false;
    const text = textOf(row);
    const block = this.#block;
    const isFull = block.count >= mostInBlock || block.text.length + text.length > mostUnpacked;
    if (isFull && block.count > 0) await this.#write();
    this.#block.text += text;
    this.#block.count += 1;
    this.#block.kinds |= bitOf(row.type);
    this.#block.first ??= row;
    this.#block.last = row;
    this.#last = row;
    this.#change.sealed += 1;
    return true;
  }

  async finish(): Promise<{ sealed: number; removed: number; bytes: number }> {
    await this.#write();
    if (this.#perDevice > 0 && this.#hasNewBlock) {
      const removed = await removeBeyond(this.#query, this.#devEUI, this.#perDevice);
      this.#change.removed += removed.events;
      this.#change.bytes -= removed.bytes;
    }
    return this.#change;
  }

  async #write(): Promise<void> {
    const { id, text, count, kinds, first, last, storedBytes } = this.#block;
    this.#block = emptyBlock();
    if (!first || !last) return;
    const bytes = packText(text);
    const content = { to_at: last.at, to_seq: last.seq, to_pos: last.pos, count, kinds, unpacked: text.length, bytes };
    this.#change.bytes += bytes.length + blockOverhead - storedBytes;
    if (id !== undefined) {
      await this.#query.updateTable('event_block').set(content).where('id', '=', id).execute();
      return;
    }
    this.#hasNewBlock = true;
    await this.#query
      .insertInto('event_block')
      .values({ ...content, dev_eui: this.#devEUI, from_at: first.at, from_seq: first.seq, from_pos: first.pos })
      .execute();
  }
}
