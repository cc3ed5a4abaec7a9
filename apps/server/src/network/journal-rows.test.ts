import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { journalRows } from './journal-rows.ts';

/** Copies of three instances on one database; `pass` lets seconds go by. */
async function createCrew() {
  const database = await createTestDatabase('postgres');
  const live = new Set(['a', 'b', 'c']);
  const of = (id: string) => journalRows(database, 1, { id, live: () => [...live] }, { monotonicMs: () => 0 });
  const pass = async (seconds: number) => {
    const earlier = sql<Date>`held_since - make_interval(secs => ${seconds})`;
    await database.query.updateTable('ns_journal').set({ held_since: earlier }).execute();
  };
  return { database, live, a: of('a'), b: of('b'), c: of('c'), pass, close: () => database[Symbol.asyncDispose]() };
}

const none = new Set<number>();
const copiesOf = (entries: { copy: string }[]) => entries.map(({ copy }) => copy);

describe('the journal of several instances', { skip: !databases.includes('postgres') }, () => {
  it('leaves what others have in hand to them, and takes it from who has ended once', async () => {
    const { live, a, b, c, pass, close } = await createCrew();
    await a.receive(['of a']);
    await b.receive(['of b']);
    live.delete('a');
    assert.deepEqual(await b.abandoned(0, 9, none), [], 'too young: a may be too new to be known');
    await pass(3);
    const taken = await Promise.all([b.abandoned(0, 9, none), c.abandoned(0, 9, none)]);
    assert.deepEqual(copiesOf(taken.flat()).filter((copy) => copy === 'of a').length, 1);
    assert.ok(copiesOf(taken[1]).includes('of b') === false);
    assert.deepEqual(await b.abandoned(0, 9, none), [], 'just taken');
    await close();
  });

  it('takes up its own that nobody works on once an instance is missed, which may have had it in hand', async () => {
    const { live, a, pass, close } = await createCrew();
    const [first, second] = await a.receive(['one', 'two']);
    await pass(3);
    assert.deepEqual(await a.abandoned(0, 9, none), [], 'an instance that is behind comes to it');
    live.delete('b');
    assert.deepEqual(await a.abandoned(0, 1, new Set([first!, second!])), [], 'in hand here');
    assert.deepEqual(copiesOf(await a.abandoned(0, 1, new Set([first!]))), ['two']);
    assert.deepEqual(copiesOf(await a.journalled([second!, 999])), ['two']);
    await close();
  });

  it('takes up its own in the end although nobody is missed: something may have got lost', async () => {
    const { a, pass, close } = await createCrew();
    await a.receive(['one']);
    await pass(11);
    assert.deepEqual(copiesOf(await a.abandoned(0, 9, none)), ['one']);
    await close();
  });

  it('finds what begins alike in the hand of any of them', async () => {
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
