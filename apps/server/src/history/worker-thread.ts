/** Seals, reads and removes events on a thread of its own, one transaction at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { evaluate } from '../conditions/evaluate.ts';
import { countFleet } from '../conditions/fleet-counts.ts';
import { isDiskFull } from '../database/storage-failure.ts';
import { textOf } from './block.ts';
import { conditionAlerts } from './condition-alerts.ts';
import { cut } from './cut.ts';
import { readDependents } from './dependents.ts';
import { framesMatching, kindsWithFrame } from './frames.ts';
import { logPart } from './log-part.ts';
import { eventsJSON } from './page-json.ts';
import { type HistoryPage, type PageRequest, readPage } from './read-page.ts';
import { type HistoryOwner, readFields, readSeries } from './read-series.ts';
import { seal, sealedPosition } from './seal.ts';
import { sealedPart } from './sealed-part.ts';
import { eventsMatching, type SelectEvent } from './select.ts';
import { shortenedSince } from './shortened.ts';
import { readStorageSizes } from './storage-sizes.ts';
import { DamagedHistory, type HistoryStores, openStores, renameDamaged, type StoreSettings } from './stores.ts';
import { valueAlerts } from './value-alerts.ts';
import type { FromWorker, WorkerCall, WorkerCalls } from './worker-calls.ts';

const port = parentPort!;
const settings = workerData as StoreSettings;
const post = (message: FromWorker) => port.postMessage(message);

async function read(
  stores: HistoryStores,
  request: PageRequest & HistoryOwner,
  kinds: readonly string[],
  select: SelectEvent,
): Promise<HistoryPage> {
  const { devEUI, last, above, around } = request;
  const inLog = logPart(stores, { devEUI, last, above: Math.max(above, await sealedPosition(stores)) });
  // The event of `around` need not match the filter.
  const inBlocks = { devEUI, above, kinds: around ? [] : kinds };
  const sealed = stores.blocks && sealedPart({ kind: stores.kind, query: stores.blocks.read }, inBlocks);
  return readPage(sealed ? [inLog, sealed] : [inLog], request, select);
}

const calls = (stores: HistoryStores): WorkerCalls => ({
  read: async (request) => {
    const { filter } = request;
    const { events, ...page } = await read(stores, request, filter.kinds ?? [], eventsMatching(filter));
    return { ...page, json: eventsJSON(events) };
  },
  frames: (request) => read(stores, request, kindsWithFrame, framesMatching(request.filter)),
  fields: (request) => readFields(stores, request),
  series: (request) => readSeries(stores, request),
  dependents: (request) => readDependents(stores, request),
  seal: (request) => seal(stores, request),
  cut: (request) => cut(stores, request),
  sealedPosition: () => sealedPosition(stores),
  storageSizes: () => readStorageSizes(stores),
  fleet: (request) => countFleet({ query: stores.log, kind: stores.kind }, request),
  conditionAlerts: (request) => conditionAlerts(stores.log, request),
  valueAlerts: (request) => valueAlerts(stores.log, request),
  evaluate: async (request) => {
    const since = await shortenedSince(stores, request, request.time.now);
    const problems = since === undefined ? [] : [{ condition: 'HISTORY_FULL', since } as const];
    return evaluate(
      { query: stores.log, kind: stores.kind },
      { ...request, problems: [...request.problems, ...problems] },
    );
  },
});

async function open(): Promise<HistoryStores> {
  try {
    return await openStores(settings);
  } catch (error) {
    if (!(error instanceof DamagedHistory) || settings.historyFile === undefined) throw error;
    post({ renamedTo: renameDamaged(settings.historyFile, new Date()) });
    return await openStores(settings);
  }
}

function postResult({ id, name }: WorkerCall, result: unknown): void {
  if (name !== 'frames') return post({ id, result });
  const { events, ...page } = result as HistoryPage;
  post({ id, page, events: events.map(textOf).join('') });
}

let stores = open();

async function reopen(): Promise<HistoryStores> {
  await (await stores).close();
  if (settings.historyFile !== undefined) post({ renamedTo: renameDamaged(settings.historyFile, new Date()) });
  return await openStores(settings);
}

port.on('message', (call: WorkerCall) => {
  const { id, name, request } = call;
  const run = async () => {
    const used = stores;
    try {
      return await calls(await used)[name](request as never);
    } catch (error) {
      if (error instanceof DamagedHistory && stores === used) stores = reopen();
      throw error;
    }
  };
  run().then(
    (result) => postResult(call, result),
    (error: unknown) => post({ id, failure: { message: String(error), isDiskFull: isDiskFull(error) } }),
  );
});
