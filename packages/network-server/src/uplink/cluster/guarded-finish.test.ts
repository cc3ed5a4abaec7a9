import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createInMemoryState } from '../../state/in-memory.ts';
import { decisionOf } from '../decision.ts';
import { guardedFinish } from './guarded-finish.ts';

it('a decision with writes or effects is guarded against peers, one without is not', () => {
  const { writeFor } = guardedFinish(createInMemoryState({ apply: () => undefined }));
  const nothing = decisionOf({ dropped: 'wrong-mic' });
  const withEffect = { ...nothing, effects: [{ about: 'an error' }] };
  const withWrite = { ...nothing, writes: [{ kind: 'flushQueue', devEUI: '01' } as const] };
  assert.deepEqual(
    [nothing, withEffect, withWrite].map((decision) => writeFor([7], decision)),
    [false, true, true].map((isGuarded) => ({ kind: 'finish', ids: [7], isGuarded })),
  );
});
