import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { declaredStatements, statement, textsOf } from './statement.ts';

const sources = new URL('..', import.meta.url);

describe('declared statements', () => {
  before(async () => {
    for (const file of globSync('**/*.ts', { cwd: sources, exclude: ['**/*.test.ts', 'testing/**'] })) {
      const url = new URL(file, sources);
      if (/\bstatement(<.*>)?\(\)\(/s.test(readFileSync(url, 'utf8'))) await import(url.href);
    }
    assert.ok(declaredStatements.length > 90, String(declaredStatements.length));
  });

  for (const kind of databases)
    it(`are all accepted by ${kind} with the current schema, for one caller and for many`, async () => {
      await using database = await createTestDatabase(kind);
      const refused: string[] = [];
      for (const [index, text] of declaredStatements.flatMap((one) => textsOf(one, kind)).entries()) {
        const preparing = kind === 'sqlite' ? 'explain' : `prepare statement_${index} as`;
        await sql
          .raw(`${preparing} ${text}`)
          .execute(database.query)
          .catch((error: unknown) => {
            refused.push(`${String(error)}: ${text}`);
          });
      }
      assert.deepEqual(refused, []);
    });

  it('name only parameters that they declare', async () => {
    await using database = await createTestDatabase('sqlite');
    const misspelt = statement()({ sql: 'select 1 where 1 = $tow', given: { two: 'int8' } });
    assert.throws(() => misspelt(database), /\$tow/);
  });
});
