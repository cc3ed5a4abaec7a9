import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { ArrayParameter } from './batch-statement.ts';
import type { ElementType } from './postgres-array.ts';

if (databases.includes('postgres'))
  describe('a list for PostgreSQL', () => {
    const lists: Record<ElementType, readonly unknown[]> = {
      text: ['', 'a "quoted\\" {text}, NULL', '{"öäü":"😀\\n"}', null],
      bytea: [new Uint8Array(), Uint8Array.of(0, 92, 255), null],
      int8: [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null],
      float8: [0.1, -1e300, Number.POSITIVE_INFINITY, null],
      bool: [true, false, null],
      timestamptz: [new Date(0), new Date('2026-11-23T04:05:06.789Z'), new Date('1999-12-31T23:59:59.999Z'), null],
    };
    it('contains the values of each type, and nulls', async () => {
      await using database = await createTestDatabase('postgres');
      for (const [type, values] of Object.entries(lists) as [ElementType, unknown[]][]) {
        const list = sql`${new ArrayParameter(type, values)}::${sql.raw(type)}[]`;
        const { rows } = await sql<{ value: unknown }>`select value from unnest(${list}) as value`.execute(
          database.query,
        );
        assert.deepEqual(
          rows.map(({ value }) => value),
          values,
          type,
        );
      }
    });
  });
