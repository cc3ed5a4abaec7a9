import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { operations } from '@hilltop/contract';
import { sql } from 'kysely';
import { filesIn } from '../data-directory.ts';
import { parseCursor } from '../event-log/cursor.ts';
import { enact } from '../events/effect.ts';
import type { HistoryStep } from '../fail-points.ts';
import { blockOverhead } from '../history/block.ts';
import { keyOf } from '../history/event-key.ts';
import { openStores, type StoreSettings } from '../history/stores.ts';
import { childEnvironment } from './child-environment.ts';
import { pendingEvent } from './event.ts';
import { createDevice, createSurroundings } from './field.ts';
import type { SealingOrder } from './sealing-process.ts';
import type { TestApp } from './test-app.ts';

const program = fileURLToPath(new URL('sealing-process.ts', import.meta.url));
const inBatch = 100;
/** The first batches fill a block of 256 events and begin the next. */
const blockEnd = 256;

/**
 * Ends processes that work on the history of a server, one at each step: at the n-th passing of the step that each
 * device passes. Asserts that the history then has each event of two devices once, in order.
 */
export async function killAtEachStep(app: TestApp, nth: number): Promise<void> {
  // Otherwise the first removal can be that of another test.
  await app.parts.history.round({ isForced: true });
  const surroundings = await createSurroundings(app);
  const devEUIs = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
  let recorded = 0;

  async function recordBatch(): Promise<void> {
    for (const devEUI of devEUIs) {
      const events = range(recorded + 1, recorded + inBatch).map((fCnt) => pendingEvent('up', devEUI, { fCnt }));
      const run = async () => {
        await enact(app.parts.recorder.record({ about: 'a test', devEUI, events, at: new Date() }));
        return true;
      };
      assert.equal(await app.parts.database.commit({ run }), true);
    }
    recorded += inBatch;
  }

  /** Seals, and removes events before a time; ends at a step. */
  async function work(step?: HistoryStep, before?: number): Promise<void> {
    const { eventLog } = app.parts;
    await runToEnd({
      settings: storesOf(app),
      seal: { upTo: parseCursor(await eventLog.end()).pos, now: Date.now(), perDevice: 0, isForced: true },
      cut: before === undefined ? undefined : { before, seriesBefore: undefined, perDevice: 0, isDiskLow: false },
      endAt: step && { step, nth: step === 'blocks written' ? nth : 1 },
    });
  }

  const assertKept = async (from: number, after: string) => {
    for (const devEUI of devEUIs) {
      assert.deepEqual(await countersOf(app, devEUI), range(from, recorded), `the events of ${devEUI}, ${after}`);
      assert.equal(await uplinksInSeries(app, devEUI), recorded, `the values of ${devEUI}, ${after}`);
    }
  };

  for (const step of ['waiting events read', 'blocks written', 'sealed'] as const) {
    await recordBatch();
    await work(step);
    await assertKept(1, step);
  }
  await recordBatch();
  const newest = await app.call(operations.history.list, { devEUI: devEUIs[0]!, limit: inBatch });
  const before = keyOf(newest.result.at(-1)!.streamID).at;
  await work('blocks removed', before);
  await assertKept(1, 'blocks removed');
  await work('removal committed', before);
  await assertKept(blockEnd + 1, 'removal committed');
  await recordBatch();
  await work(undefined, before);
  await assertKept(blockEnd + 1, 'without an end');
  await assertCounted(storesOf(app));
}

/** Asserts that the stored sums are those of the blocks. */
async function assertCounted(settings: StoreSettings): Promise<void> {
  const stores = await openStores(settings);
  try {
    const { read } = stores.blocks!;
    const state = await read.selectFrom('history_state').select(['events', 'bytes']).executeTakeFirstOrThrow();
    const sums = await read
      .selectFrom('event_block')
      .select(({ fn }) => [
        fn.sum('count').as('events'),
        sql<number>`sum(length(bytes) + ${blockOverhead})`.as('bytes'),
      ])
      .executeTakeFirstOrThrow();
    assert.deepEqual([state.events, state.bytes], [Number(sums.events), Number(sums.bytes)]);
  } finally {
    await stores.close();
  }
}

function storesOf({ parts: { config } }: TestApp): StoreSettings {
  const { databaseFile, historyFile } = filesIn(config.data);
  return { databaseURL: config.databaseURL, databaseFile, historyFile };
}

async function runToEnd(order: SealingOrder): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, JSON.stringify(order)], {
    env: childEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [[code, signal], errors] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  assert.deepEqual([code, signal], order.endAt ? [null, 'SIGKILL'] : [0, null], errors);
}

/** The frame counters of all events of a device, the oldest first. */
async function countersOf(app: TestApp, devEUI: string): Promise<number[]> {
  const counters: number[] = [];
  for (let before = '', isFirst = true; isFirst || before !== ''; isFirst = false) {
    const page = await app.call(operations.history.list, { devEUI, limit: 500, before });
    for (const { payloadJSON } of page.result) counters.push((JSON.parse(payloadJSON) as { fCnt: number }).fCnt);
    before = page.older;
  }
  return counters.reverse();
}

/** The uplinks of a device by its series, which stay when events are removed. */
async function uplinksInSeries(app: TestApp, devEUI: string): Promise<number> {
  const [start, end] = [-10, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const { result } = await app.call(operations.series.get, { devEUI, fields: ['@uplinks'], start, end });
  return result[0]!.count.reduce((sum, count) => sum + count, 0);
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
