import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { journalRows } from './journal-rows.ts';

/** Copies of three instances on one database; `pass` lets seconds go by. */
async function createCrew() {
  const database = await createTestDatabase('postgres');
  const live = new Set(['a', 'b', 'c']);
  const of = (id: string) => journalRows(database, 1, { id, live: () => [...live] });
  const pass = async (seconds: number) => {
    const earlier = sql<Date>`held_since - make_interval(secs => ${seconds})`;
    await database.query.updateTable('ns_journal').set({ held_since: earlier }).execute();
  };
  return { database, live, a: of('a'), b: of('b'), c: of('c'), pass, close: () => database[Symbol.asyncDispose]() };
}

const copiesOf = (entries: { copy: string }[]) => entries.map(({ copy }) => copy);

describe('the journal of several instances', { skip: !databases.includes('postgres') }, () => {
  it('leaves what others have in hand to them, and takes it from who has ended once', async () => {
    const { live, a, b, c, pass, close } = await createCrew();
    await a.receive(['of a']);
    await b.receive(['of b']);
    live.delete('a');
    assert.deepEqual(await b.abandoned(0, 9), [], 'too young: a may be too new to be known');
    await pass(3);
    const taken = await Promise.all([b.abandoned(0, 9), c.abandoned(0, 9)]);
    assert.deepEqual(copiesOf(taken.flat()).filter((copy) => copy === 'of a').length, 1);
    assert.ok(copiesOf(taken[1]).includes('of b') === false);
    assert.deepEqual(await b.abandoned(0, 9), [], 'just taken');
    await close();
  });

  it('takes up its own that nobody works on while it runs', async () => {
    const { a, pass, close } = await createCrew();
    const [first, second] = await a.receive(['one', 'two']);
    await pass(3);
    assert.deepEqual(copiesOf(await a.abandoned(first!, 9)), ['two']);
    assert.deepEqual(copiesOf(await a.journalled([second!, 999])), ['two']);
    await close();
  });
});
