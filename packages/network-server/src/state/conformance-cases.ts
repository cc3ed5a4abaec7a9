import type { Effect } from './effect.ts';
import type { State, Write } from './state.ts';

export interface StateUnderTest {
  state: State;
  /** A new effect, and whether it happened. */
  effect: () => { effect: Effect; happened: () => boolean | Promise<boolean> };
  /** The same storage after a restart; absent when nothing survives one. */
  reopen?: () => Promise<State>;
  close: () => Promise<void>;
}

/** Registers a case that gets an empty State. */
export type WithState = (title: string, test: (under: StateUnderTest) => Promise<void>) => void;

export function commit(state: State, ...writes: Write[]): Promise<boolean> {
  return state.commit({ writes, effects: [] });
}
