import type { State } from '../../state/state.ts';
import type { JournalFinish } from '../process-uplink.ts';

/**
 * A peer may finish the same copies: then the transaction is refused. A decision that changes nothing needs no guard,
 * and a refusal would also roll back the units that storage writes in the same transaction.
 */
export function guardedFinish(state: State): JournalFinish {
  return {
    writeFor: (ids, { writes, effects }) => ({ kind: 'finish', ids, isGuarded: writes.length + effects.length > 0 }),
    unfinished: async (ids) => (await state.journalled(ids)).map(({ id }) => id),
  };
}
