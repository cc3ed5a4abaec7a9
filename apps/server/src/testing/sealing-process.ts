/** A process that seals and removes events of the history, and ends like with `kill -9` at the n-th passing of a step. */
import { type HistoryStep, historyStep } from '../fail-points.ts';
import { type CutRequest, cut } from '../history/cut.ts';
import { type SealRequest, seal } from '../history/seal.ts';
import { openStores, type StoreSettings } from '../history/stores.ts';

export interface SealingOrder {
  settings: StoreSettings;
  seal: SealRequest;
  cut: Omit<CutRequest, 'mostBytes'> | undefined;
  /** Undefined: the process does all of its work. */
  endAt: { step: HistoryStep; nth: number } | undefined;
}

const { settings, seal: sealing, cut: cutting, endAt } = JSON.parse(process.argv[2]!) as SealingOrder;
let left = endAt?.nth ?? 0;
historyStep.subscribe((passed) => {
  if (passed !== endAt?.step) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
});
const stores = await openStores(settings);
await seal(stores, sealing);
if (cutting) await cut(stores, { ...cutting, mostBytes: Number.POSITIVE_INFINITY });
await stores.close();
