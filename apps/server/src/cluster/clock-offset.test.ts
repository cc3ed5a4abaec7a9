import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ClockOffset } from './clock-offset.ts';

it('the offset to the database clock counts from half a second on, with one warning per offset', () => {
  const warned: unknown[] = [];
  const offset = new ClockOffset({ warn: (details: unknown) => void warned.push(details) });
  const note = (databaseMs: number) => {
    offset.note({ askedAtMs: 10_000, databaseMs, answeredAtMs: 10_200 });
    return offset.ms;
  };
  assert.equal(note(10_100), 0);
  // The database may have read its clock at any time between question and answer.
  assert.equal(note(9_500), 0);
  assert.equal(note(10_700), 0);
  assert.equal(note(10_701), 501);
  assert.equal(note(9_499), -501);
  assert.deepEqual(warned, [{ seconds: 1 }]);
  assert.equal(note(10_000), 0);
  assert.equal(note(70_200), 60_000);
  assert.deepEqual(warned, [{ seconds: 1 }, { seconds: 60 }]);
});
