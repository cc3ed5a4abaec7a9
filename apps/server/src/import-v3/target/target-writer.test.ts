import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { createSecrets } from '../../secrets.ts';
import { createTestDatabase, databases } from '../../testing/databases.ts';
import { createRowDigests } from './row-digests.ts';
import type { TargetRow } from './target-rows.ts';
import { TargetWriter } from './target-writer.ts';

const secrets = createSecrets({ encryptionKey: randomBytes(32), tokenKey: randomBytes(32) });
const at = new Date(0);
const user = (id: number, note = ''): TargetRow => ({
  table: 'user',
  values: {
    id,
    email: `${id}@example.org`,
    note,
    created_at: at,
    updated_at: at,
    session_ttl_minutes: 0,
    email_verified: false,
    is_admin: false,
    is_active: true,
  },
  nameInReport: `${id}`,
});

async function stored(
  writer: TargetWriter,
  batch: readonly TargetRow[],
): Promise<{ outcomes: string[]; problems: string[] }> {
  const [outcomes, problems]: [string[], string[]] = [[], []];
  await writer.store(
    batch,
    (_, outcome) => outcomes.push(outcome),
    ({ nameInReport }, problem) => problems.push(`${nameInReport} ${problem}`),
  );
  return { outcomes, problems };
}

const noteOf = async ({ query }: Database, id: number) =>
  (await query.selectFrom('user').select('note').where('id', '=', id).executeTakeFirst())?.note;

describe('rows of an import', () => {
  it('are read after they are written, and reported when they differ', async () => {
    await using database = await createTestDatabase('sqlite');
    await sql`create trigger spoil after insert on "user" when new.id = 1
      begin update "user" set note = 'spoilt' where id = 1; end`.execute(database.query);
    await sql`create trigger lose after insert on "user" when new.id = 2
      begin delete from "user" where id = 2; end`.execute(database.query);
    const writer = new TargetWriter({ database, secrets });
    const { outcomes, problems } = await stored(writer, [user(1), user(2), user(3)]);
    assert.deepEqual(outcomes, ['new', 'new', 'new']);
    assert.deepEqual(problems, ['1 differs in note', '2 is missing']);
    const { missing } = await writer.removeOthers('user', new Set(['1', '2', '3']));
    assert.equal(missing, 1);
  });

  for (const kind of databases)
    it(`are written when they change, also when they change back, on ${kind}`, async () => {
      await using database = await createTestDatabase(kind);
      const memory = createRowDigests();
      const pass = () => new TargetWriter({ database, secrets }, memory);
      for (const [note, outcome] of [
        ['one', 'new'],
        ['one', 'same'],
        ['other', 'changed'],
        ['one', 'changed'],
      ] as const) {
        assert.deepEqual(await stored(pass(), [user(1, note)]), { outcomes: [outcome], problems: [] });
        assert.equal(await noteOf(database, 1), note);
      }
      // A writer does not read rows again that it has seen; another writer does.
      await database.query.updateTable('user').set({ note: 'changed here' }).execute();
      assert.deepEqual((await stored(pass(), [user(1, 'one')])).outcomes, ['same']);
      assert.deepEqual((await stored(new TargetWriter({ database, secrets }), [user(1, 'one')])).outcomes, ['changed']);
    });

  it('that the source contains twice are written once, with the first values', async () => {
    await using database = await createTestDatabase('sqlite');
    const writer = new TargetWriter({ database, secrets });
    const join = (nonce: number, devAddr: string): TargetRow => ({
      table: 'ns_activation',
      values: {
        network_server_id: 1,
        dev_eui: '0a',
        join_eui: '0b',
        join_type: 'join',
        dev_nonce: nonce,
        dev_addr: devAddr,
        at: 0,
      },
      nameInReport: '0a',
    });
    assert.deepEqual(await stored(writer, [join(1, '01')]), { outcomes: ['new'], problems: [] });
    const { outcomes, problems } = await stored(writer, [join(1, '02'), join(2, '03')]);
    assert.deepEqual([outcomes.toSorted(), problems], [['new', 'same'], []]);
    const rows = await database.query.selectFrom('ns_activation').select('dev_addr').orderBy('dev_nonce').execute();
    assert.deepEqual(
      rows.map(({ dev_addr }) => dev_addr),
      ['01', '03'],
    );
  });
});
