import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { journalRows } from './journal-rows.ts';

/** Copies of three instances on one database; `pass` advances the clock by seconds. */
async function createCrew() {
  const database = await createTestDatabase('postgres');
  const live = new Set(['a', 'b', 'c']);
  let nowMs = 0;
  const of = (id: string) => journalRows(database, 1, { id, live: () => [...live] }, { monotonicMs: () => nowMs });
  const pass = async (seconds: number) => {
    nowMs += seconds * 1000;
    const earlier = sql<Date>`held_since - make_interval(secs => ${seconds})`;
    await database.query.updateTable('ns_journal').set({ held_since: earlier }).execute();
  };
  return { database, live, of, a: of('a'), b: of('b'), c: of('c'), pass, close: () => database[Symbol.asyncDispose]() };
}

const none = { inHand: new Set<number>(), left: [] };
const copiesOf = (entries: { copy: string }[]) => entries.map(({ copy }) => copy);

describe('the journal of several instances', { skip: !databases.includes('postgres') }, () => {
  it('leaves copies to their live holders, and takes over those of an ended instance at once and only once', async () => {
    const { live, a, b, c, pass, close } = await createCrew();
    await a.receive(['of a']);
    await b.receive(['of b']);
    assert.deepEqual([await b.abandoned(0, 9, none), await c.abandoned(0, 9, none)], [[], []]);
    live.delete('a');
    const taken = await Promise.all([b.abandoned(0, 9, none), c.abandoned(0, 9, none)]);
    assert.deepEqual(copiesOf(taken.flat()), ['of a']);
    await pass(1);
    assert.deepEqual(await b.abandoned(0, 9, none), [], 'just taken');
    await a.receive(['of a, which stood still']);
    assert.deepEqual(await b.abandoned(0, 9, none), [], 'it is back, and not known again yet');
    await pass(3);
    assert.deepEqual(copiesOf(await b.abandoned(0, 9, none)), ['of a, which stood still']);
    await close();
  });

  it('takes nothing over from an instance that may have started a moment ago', async () => {
    const { of, b, pass, close } = await createCrew();
    await of('new').receive(['of the new one']);
    assert.deepEqual(await b.abandoned(0, 9, none), []);
    await pass(3);
    assert.deepEqual(copiesOf(await b.abandoned(0, 9, none)), ['of the new one']);
    await close();
  });

  it('takes back own copies from a missed peer, and nothing that is being processed', async () => {
    const { live, a, pass, close } = await createCrew();
    const [first, second, third] = await a.receive(['one', 'two', 'three']);
    live.delete('b');
    await pass(3);
    assert.deepEqual(await a.abandoned(0, 9, none), [], 'an instance that is behind comes to it');
    const left = [first!, second!, 999];
    assert.deepEqual(copiesOf(await a.abandoned(0, 9, { inHand: new Set([first!]), left })), ['two']);
    assert.deepEqual(copiesOf(await a.journalled([third!, 999])), ['three']);
    await close();
  });

  it('takes back own copies after a time although no peer is missed, since a message may be lost', async () => {
    const { a, pass, close } = await createCrew();
    await a.receive(['one']);
    await pass(11);
    assert.deepEqual(copiesOf(await a.abandoned(0, 9, none)), ['one']);
    await close();
  });

  it('finds copies with the same beginning at any instance', async () => {
    const { a, b, c, close } = await createCrew();
    const [beginning, next] = ['{"phyPayload":"QAQDAg', '{"phyPayload":"QAQDAh'];
    await a.receive([`${beginning}EAAQAB"`, `${next}EAAQAB"`]);
    await b.receive(['else', `${beginning}EAAgAB"`]);
    assert.deepEqual(copiesOf(await c.unfinishedBeginning([beginning, '{"phyPayload":"gAQDAg'])), [
      `${beginning}EAAQAB"`,
      `${beginning}EAAgAB"`,
    ]);
    await close();
  });
});
