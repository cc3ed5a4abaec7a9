import { useMemo, useState, useSyncExternalStore } from 'react';
import { type LiveState, useLive } from '../../api/live.ts';
import { createLogStore, type LogStoreOptions } from './log-store.ts';

/** Most entries of a log; older ones are dropped. */
const cap = 1000;

/** The log of one stream while its screen is mounted. Both functions are constants. */
export function useLiveLog<T>(path: string, { orderOf, identityOf }: Omit<LogStoreOptions<T>, 'cap' | 'schedule'>) {
  const log = useMemo(() => createLogStore<T>({ orderOf, identityOf, cap }), [orderOf, identityOf]);
  const state = useSettledState(useLive<T>(path, log.add).state);
  const view = useSyncExternalStore(log.watch, log.view);
  return { ...view, state, pause: log.pause, resume: log.resume, clear: log.clear };
}

/** A lost connection counts as lost during the next attempts, so that the notice does not blink. */
function useSettledState(state: LiveState): LiveState {
  const [settled, setSettled] = useState<LiveState>(state);
  if (state !== 'connecting' && state !== settled) setSettled(state);
  return state === 'connecting' && settled === 'closed' ? 'closed' : state;
}
