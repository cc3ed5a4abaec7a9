import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError } from '@hilltop/contract';
import { inProcessBus } from '../bus/in-process.ts';
import { settings } from '../config.ts';
import type { Database } from '../database/database.ts';
import { createTestDatabase } from '../testing/databases.ts';
import { createPrincipals } from './principals.ts';
import { createTokens } from './tokens.ts';

const start = Date.parse('2026-11-22T00:00:00Z');
const isRefused = (error: unknown) => error instanceof ApiError && error.code === 16;

/** One user with one session. */
async function open(sessionMs = 1_000) {
  const database = await createTestDatabase('sqlite');
  const time = { ms: start };
  const now = () => new Date(time.ms);
  const createdAt = now();
  const expiresAt = new Date(start + sessionMs);
  const email = 'a@example.org';
  const { id: userID } = await database.query
    .insertInto('user')
    .values({
      created_at: createdAt,
      updated_at: createdAt,
      email,
      external_id: null,
      email_verified: false,
      password_hash: null,
      is_admin: false,
      is_active: true,
      session_ttl_minutes: 0,
      note: '',
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const session = { id: crypto.randomUUID(), user_id: userID, created_at: createdAt, expires_at: expiresAt };
  await database.query.insertInto('session').values(session).execute();
  const tokens = createTokens(new Uint8Array(32).fill(7), now);
  const bus = inProcessBus((error) => assert.fail(String(error)));
  const token = await tokens.ofSession({ id: session.id, userID, email, createdAt, expiresAt });
  return {
    database,
    tokens,
    bus,
    now,
    limits: settings.parse({}),
    log: { warn: () => assert.fail('a use could not be recorded') },
    token,
    time,
    endSession: () => database.query.deleteFrom('session').execute(),
    [Symbol.asyncDispose]: async () => database[Symbol.asyncDispose](),
  };
}

describe('a caller', () => {
  it('is loaded with all rights in one statement', async () => {
    await using opened = await open();
    const { database } = opened;
    const user = await database.query.selectFrom('user').select('id').executeTakeFirstOrThrow();
    const at = opened.now();
    const { id } = await database.query
      .insertInto('organization')
      .values({
        created_at: at,
        updated_at: at,
        name: 'acme',
        display_name: 'Acme',
        can_have_gateways: true,
        max_device_count: 0,
        max_gateway_count: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const membership = {
      organization_id: id,
      user_id: user.id,
      created_at: at,
      updated_at: at,
      is_admin: true,
      is_device_admin: false,
      is_gateway_admin: false,
    };
    await database.query.insertInto('organization_user').values(membership).execute();
    let asked = 0;
    const counting = new Proxy(database, {
      get: (target, name) => {
        if (name === 'query') asked += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
    const found = await createPrincipals({ ...opened, database: counting }).ofToken(opened.token);
    assert.equal(found.kind === 'user' && found.memberships.length, 1);
    // Another instance could remove them between two statements: the caller would be known, but without rights.
    assert.equal(asked, 1);
  });
});

describe('a cached caller', () => {
  it('is cached no longer than the session lasts', async () => {
    await using opened = await open();
    const principals = createPrincipals(opened);
    await principals.ofToken(opened.token);
    opened.time.ms += 1_000;
    await assert.rejects(principals.ofToken(opened.token), isRefused);
  });

  it('is not cached when a change happens while it is loaded', async () => {
    await using opened = await open();
    const { tokens, token } = opened;
    const reading = {
      ...tokens,
      read: async (text: string) => {
        const claims = await tokens.read(text);
        principals.changed('somebody');
        return claims;
      },
    };
    const principals = createPrincipals({ ...opened, tokens: reading });
    await principals.ofToken(token);
    await opened.endSession();
    await assert.rejects(principals.ofToken(token), isRefused);
  });

  it('is loaded once for simultaneous calls, and again after a change', async () => {
    await using opened = await open();
    let reads = 0;
    const tokens = {
      ...opened.tokens,
      read: (token: string) => {
        reads += 1;
        return opened.tokens.read(token);
      },
    };
    const { ofToken, changed } = createPrincipals({ ...opened, tokens });
    const ask = () => ofToken(opened.token, { nobody: true });
    await Promise.all([ask(), ask(), ask()]);
    assert.equal(reads, 1);
    changed('1');
    // A load that is under way may have read the row before the change.
    const early = ask();
    changed('1');
    await Promise.all([early, ask(), ask()]);
    assert.equal(reads, 3);
    await opened.endSession();
    changed('1');
    for (const { status } of await Promise.allSettled([ask(), ask()])) assert.equal(status, 'rejected');
    assert.equal(reads, 4);
    await assert.rejects(ask(), isRefused);
    assert.equal(reads, 5);
  });

  it('is found without waiting until its session ends or its rights change', async () => {
    await using opened = await open();
    const { cached, ofToken, changed } = createPrincipals(opened);
    const find = () => cached(opened.token, { nobody: false });
    assert.equal(find(), undefined);
    const found = await ofToken(opened.token);
    assert.equal(find(), found);
    changed('1');
    assert.equal(find(), undefined);
    await ofToken(opened.token);
    opened.time.ms += 1_000;
    assert.equal(find(), undefined);
  });

  it('is not found without waiting when the use of its session has to be recorded', async () => {
    await using opened = await open();
    await opened.database.query
      .updateTable('session')
      .set({ last_used_at: new Date(start - 600_000) })
      .execute();
    const { cached, ofToken } = createPrincipals(opened);
    const found = await ofToken(opened.token, { nobody: true });
    assert.equal(cached(opened.token, { nobody: true }), found);
    assert.equal(cached(opened.token, { nobody: false }), undefined);
    await ofToken(opened.token);
    assert.equal(cached(opened.token, { nobody: false }), found);
  });
});

describe('the use of a session', () => {
  const longAgo = new Date(start - 600_000);
  const lastUse = async ({ query }: Database) =>
    (await query.selectFrom('session').select('last_used_at').executeTakeFirstOrThrow()).last_used_at?.getTime();

  it('is recorded without a wait for other writes', async () => {
    await using opened = await open();
    const { database, token } = opened;
    await database.query.updateTable('session').set({ last_used_at: longAgo }).execute();
    const { ofToken, idle } = createPrincipals(opened);
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const other = database.transaction(async () => {
      begun.resolve();
      await gate.promise;
    });
    await begun.promise;
    await ofToken(token);
    assert.equal(await lastUse(database), longAgo.getTime());
    gate.resolve();
    await other;
    await idle();
    assert.equal(await lastUse(database), start);
  });

  it('is logged once a minute when it cannot be recorded, and refuses no call', async () => {
    await using opened = await open(600_000);
    const { database, token, time } = opened;
    await database.query.updateTable('session').set({ last_used_at: longAgo }).execute();
    let failures = 0;
    let logged = 0;
    const failing: Database = {
      ...database,
      query: database.query,
      executeUnflushed: () => {
        failures += 1;
        return Promise.reject(new Error('database is locked'));
      },
    };
    const log = { warn: () => void (logged += 1) };
    const { ofToken, idle } = createPrincipals({ ...opened, database: failing, log });
    for (const expected of [1, 1, 2]) {
      await ofToken(token);
      await idle();
      assert.equal(logged, expected);
      time.ms += 31_000;
    }
    assert.equal(failures, 3);
  });
});
