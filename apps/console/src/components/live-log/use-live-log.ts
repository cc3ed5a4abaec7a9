import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { type LiveState, useLive } from '../../api/live.ts';
import type { LogSource } from './log-source.ts';
import { LogStore, type LogStoreOptions } from './log-store.ts';
import { StoredPart } from './stored-part.ts';

/** Most entries of a log; older ones are dropped. */
const caps = { live: 1000, extended: 10_000 };

type LogTraits<T> = Pick<LogStoreOptions<T>, 'orderOf' | 'identityOf'>;

/** The log of one source while its screen is mounted. Both functions of the kind are constants. */
export function useLiveLog<T>({ path, history, matches }: LogSource<T>, { orderOf, identityOf }: LogTraits<T>) {
  const wasPaused = useRef(false);
  // The history has the filter: another one is another log. A live log keeps its items, and hides some of them.
  const matchesLive = history ? matches : undefined;
  const log = useMemo(() => {
    const store = new LogStore<T>({ orderOf, identityOf, matches: matchesLive, completed: history?.completed, caps });
    return { store, stored: new StoredPart(store, history) };
  }, [orderOf, identityOf, history, matchesLive]);
  const { store, stored } = log;
  useEffect(() => {
    if (wasPaused.current) stored.pause();
    stored.open();
    return stored.close;
  }, [stored]);

  const { state: current } = useLive<T>(path, (item) => {
    store.add(item);
    stored.arrived(item);
  });
  const state = useSettledState(current);
  useEffect(() => stored.follow(current), [stored, current]);

  const view = useSyncExternalStore(store.watch, store.view);
  useEffect(() => {
    wasPaused.current = view.isPaused;
  });
  const storedView = useSyncExternalStore(stored.watch, stored.view);
  const { pause, resume, clear } = stored;
  const isHiding = !history && matches !== undefined;
  const entries = useMemo(
    () => (isHiding ? view.entries.filter(({ item }) => matches(item)) : view.entries),
    [isHiding, view.entries, matches],
  );
  return { ...view, entries, state, stored: storedView, part: stored, pause, resume, clear, isFull: store.isFull() };
}

/** A lost connection counts as lost during the next attempts, so that the notice does not blink. */
function useSettledState(state: LiveState): LiveState {
  const [settled, setSettled] = useState<LiveState>(state);
  if (state !== 'connecting' && state !== settled) setSettled(state);
  return state === 'connecting' && settled === 'closed' ? 'closed' : state;
}
