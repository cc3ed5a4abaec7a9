import {
  ApiError,
  type Principal as ContractPrincipal,
  type FirstDuty,
  refusal,
  unauthenticated,
} from '@hilltop/contract';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readApplicationIDs } from './limited-applications.ts';
import { isSecondFactorRequired } from './second-factor-required.ts';

import { isLiving, type SessionLimits, useStepMs } from './session-lifetime.ts';
import type { Tokens } from './tokens.ts';

type Caller<Kind> = Extract<ContractPrincipal, { kind: Kind }>;
/** The caller; null without a token. A user also has a session and an e-mail address. */
export type Principal =
  | (Caller<'user'> & { readonly sessionID: string; readonly email: string })
  | Caller<'apiKey'>
  | null;

/** Finds callers by their tokens, and caches them briefly so that most calls need no query. */
export interface Principals {
  /** Throws code 16 when the token is not valid (any more). Records the use of the session or key without waiting for it. */
  ofToken: (token: string, use?: TokenUse) => Promise<NonNullable<Principal>>;
  /** The caller of a token that is cached and whose use needs no record; undefined for any other: use `ofToken`. */
  cached: (token: string, use: TokenUse) => NonNullable<Principal> | undefined;
  /** The caller with its rights of now. Throws code 16 when its session or key has ended. */
  reload: (caller: CallerReference) => Promise<NonNullable<Principal>>;
  /** The user or key with its rights of now, for work that outlives a session; undefined when it is gone or expired. */
  find: (caller: CallerID) => Promise<NonNullable<Principal> | undefined>;
  /**
   * Call it when the rights of a caller change, or its session or key ends. In a transaction it takes effect with the
   * commit. `id` is that of the user or key, or the serial of a client certificate; listeners of `access-changed`
   * re-check their connections.
   */
  changed: (id: string) => void;
  /** Resolves when all uses are recorded. */
  idle: () => Promise<void>;
}

/** Who uses a token. */
export interface TokenUse {
  /** Nobody: a page polls, or a connection re-checks its rights. It counts as use of a key, not of a session. */
  readonly nobody: boolean;
  /** The IP address of the client; without it the use of a key is not recorded. */
  readonly address?: string | undefined;
}

/** What identifies a caller without its token. */
export type CallerReference =
  | { readonly kind: 'user'; readonly sessionID: string; readonly email: string }
  | { readonly kind: 'apiKey'; readonly id: string };

export type CallerID = Pick<NonNullable<Principal>, 'kind' | 'id'>;

/** When the bus loses a change, other instances notice it after this time. */
const cacheMs = 3_000;
const largestCache = 10_000;

interface PrincipalsDependencies {
  database: Database;
  tokens: Tokens;
  bus: Bus;
  now: () => Date;
  log: Pick<Logger, 'warn'>;
  limits: SessionLimits;
}

/** A caller, when the session or key expires, and when the session was last used (undefined for a key). */
interface Found {
  principal: NonNullable<Principal>;
  endsAt: number;
  lastUsedAt: number | undefined;
}

export function createPrincipals(needs: PrincipalsDependencies): Principals {
  const { database, tokens, bus, now, limits } = needs;
  const cache = new LRUCache<string, Found & { until: number }>({ max: largestCache });
  const uses = new TokenUses(needs);
  /** Loads that began after the last change: calls with the same token share one. */
  const loading = new Map<string, Promise<Found>>();
  let changes = 0;

  function clearCache(): void {
    changes += 1;
    cache.clear();
    loading.clear();
  }
  void bus.subscribeToPeers('callers-changed', '', clearCache);

  async function load(token: string): Promise<Found> {
    const before = changes;
    const claims = await tokens.read(token);
    const found = await (claims.kind === 'user'
      ? loadUser(database, { ...claims, email: claims.username }, { now: now(), limits, endsAt: claims.expiresAt })
      : loadKey(database, claims.keyID, now(), claims.isFromV3));
    if (!found) throw unauthenticated();
    // Rows that were read before a change must not enter the cache after it.
    if (changes === before) {
      const until = Math.min(now().getTime() + cacheMs, found.endsAt);
      const entry = { ...found, until };
      cache.set(token, entry);
      return entry;
    }
    return found;
  }

  function loadOnce(token: string): Promise<Found> {
    const before = loading.get(token);
    if (before) return before;
    const current = load(token).finally(() => {
      if (loading.get(token) === current) loading.delete(token);
    });
    loading.set(token, current);
    return current;
  }

  return {
    ofToken: async (token, use = { nobody: false }) => {
      const known = cache.get(token);
      const found = known && known.until > now().getTime() ? known : await loadOnce(token);
      uses.record(found, use, now());
      return found.principal;
    },
    cached: (token, use) => {
      const found = cache.get(token);
      const at = now().getTime();
      return found && found.until > at && uses.isRecorded(found, use, at) ? found.principal : undefined;
    },
    reload: async (caller) => {
      const at = now();
      const found = await (caller.kind === 'user'
        ? loadUser(database, caller, { now: at, limits })
        : loadKey(database, caller.id, at));
      if (!found) throw unauthenticated();
      return found.principal;
    },
    find: async ({ kind, id }) => {
      if (kind === 'user') return findUser(database, id);
      const found = await loadKey(database, id, now()).catch((error: unknown) => {
        if (error instanceof ApiError && error.reason === 'API_KEY_EXPIRED') return null;
        throw error;
      });
      return found?.principal;
    },
    changed: (id) =>
      database.afterCommit(() => {
        clearCache();
        bus.publish('callers-changed', '', {});
        bus.publish('access-changed', id, { userID: id });
      }),
    idle: () => uses.idle(),
  };
}

/** A failed write is logged at most this often. */
const logApartMs = 60_000;

/**
 * Records when sessions and keys are used, at most once a minute each. A call does not wait for the write, which may wait for
 * a lock of the database, and a failed write does not refuse the call.
 */
class TokenUses {
  readonly #needs: Pick<PrincipalsDependencies, 'database' | 'log' | 'now'>;
  /** When each key was last recorded as used. */
  readonly #keyUses = new LRUCache<string, number>({ max: largestCache });
  /** The writes under way, one for each session or key. */
  readonly #writes = new Map<string, Promise<void>>();
  #loggedMs = Number.NEGATIVE_INFINITY;

  constructor(needs: Pick<PrincipalsDependencies, 'database' | 'log' | 'now'>) {
    this.#needs = needs;
  }

  isRecorded({ principal, lastUsedAt }: Found, { nobody, address }: TokenUse, atMs: number): boolean {
    if (principal.kind === 'apiKey')
      return !address || Math.abs(atMs - (this.#keyUses.get(principal.id) ?? 0)) < useStepMs;
    return nobody || lastUsedAt === undefined || atMs - lastUsedAt < useStepMs;
  }

  record(found: Found, use: TokenUse, at: Date): void {
    const { principal } = found;
    if (this.isRecorded(found, use, at.getTime())) return;
    const { database } = this.#needs;
    if (principal.kind === 'apiKey') {
      const { id } = principal;
      this.#keyUses.set(id, at.getTime());
      const address = use.address!.replace(/^::ffff:(?=\d+\.)/, '');
      this.#write(id, () => storeKeyUse(database).allUnflushed({ id, at, address }));
    } else {
      const { sessionID: id } = principal;
      found.lastUsedAt = at.getTime();
      this.#write(id, () => storeSessionUse(database).allUnflushed({ id, at }));
    }
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#writes.values());
  }

  #write(id: string, store: () => Promise<unknown>): void {
    if (this.#writes.has(id)) return;
    const written = store()
      .catch((error: unknown) => this.#logFailure(error))
      .then(() => void this.#writes.delete(id));
    this.#writes.set(id, written);
  }

  #logFailure(err: unknown): void {
    const nowMs = this.#needs.now().getTime();
    if (Math.abs(nowMs - this.#loggedMs) < logApartMs) return;
    this.#loggedMs = nowMs;
    this.#needs.log.warn({ err }, 'the last use of a session or API key could not be recorded');
  }
}

/** A token is valid for the e-mail address it was created for; a change of the address ends it. */
async function loadUser(
  database: Database,
  { sessionID, email }: { sessionID: string; email: string },
  { now, limits, endsAt = now.getTime() }: { now: Date; limits: SessionLimits; endsAt?: number },
): Promise<Found | null> {
  const rows = await database.query
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .leftJoin('organization_user as member', 'member.user_id', 'user.id')
    .select(['user.id', 'user.email', 'user.is_admin', 'user.is_active'])
    .leftJoin('second_factor', (join) =>
      join.onRef('second_factor.user_id', '=', 'user.id').on('second_factor.confirmed_at', 'is not', null),
    )
    .select(['session.last_used_at', 'session.created_at', 'session.is_single_sign_on', 'user.password_hash'])
    .select('user.has_generated_password')
    .select('second_factor.user_id as has_second_factor')
    .select(['member.organization_id', 'member.is_admin as is_organization_admin'])
    .select(['member.is_device_admin', 'member.is_gateway_admin', 'member.is_read_only', 'member.application_ids'])
    .where('session.id', '=', sessionID)
    .where('session.expires_at', '>', now)
    .where('user.email', '=', email)
    .where((row) => isLiving(row, limits, now))
    .execute();
  const user = rows[0];
  if (!user) return null;
  const mustFirst = firstDutyOf(user, limits);
  const principal = { ...principalOf([user, ...rows.slice(1)], sessionID), ...(mustFirst && { mustFirst }) };
  return { principal, endsAt, lastUsedAt: (user.last_used_at ?? user.created_at).getTime() };
}

interface SessionUserRow {
  is_admin: boolean;
  is_single_sign_on: boolean;
  password_hash: string | null;
  has_generated_password: boolean;
  has_second_factor: number | null;
}

function firstDutyOf(user: SessionUserRow, { requireSecondFactor }: SessionLimits): FirstDuty | undefined {
  // Who has no password can sign in by single sign-on only, also where an older session does not tell.
  if (user.is_single_sign_on || user.password_hash === null) return undefined;
  if (user.has_generated_password) return 'CHANGE_PASSWORD';
  if (user.has_second_factor !== null) return undefined;
  return isSecondFactorRequired(requireSecondFactor, { isAdmin: user.is_admin }) ? 'SET_UP_SECOND_FACTOR' : undefined;
}

/** A user in one of its memberships; without any, the membership is null. */
interface MemberRow {
  id: number;
  email: string;
  is_admin: boolean;
  is_active: boolean;
  organization_id: number | null;
  is_organization_admin: boolean | null;
  is_device_admin: boolean | null;
  is_gateway_admin: boolean | null;
  is_read_only: boolean | null;
  application_ids: string | null;
}

function principalOf(rows: readonly [MemberRow, ...MemberRow[]], sessionID: string) {
  const [user] = rows;
  return {
    kind: 'user' as const,
    id: String(user.id),
    email: user.email,
    sessionID,
    isAdmin: user.is_admin,
    isActive: user.is_active,
    memberships: rows
      .filter((row) => row.organization_id !== null)
      .map((row) => ({
        organizationID: String(row.organization_id),
        isAdmin: row.is_organization_admin === true,
        isDeviceAdmin: row.is_device_admin === true,
        isGatewayAdmin: row.is_gateway_admin === true,
        isReadOnly: row.is_read_only === true,
        applicationIDs: readApplicationIDs(row.application_ids),
      })),
  };
}

const memberRows = statement<MemberRow>()({
  sql: `select "user".id, "user".email, "user".is_admin, "user".is_active, member.organization_id,
      member.is_admin as is_organization_admin, member.is_device_admin, member.is_gateway_admin,
      member.is_read_only, member.application_ids
    from "user" left join organization_user as member on member.user_id = "user".id
    where "user".id = $id`,
  given: { id: 'int8' },
  batch: {},
});

/** The user without a session. */
async function findUser(database: Database, id: string): Promise<NonNullable<Principal> | undefined> {
  const [user, ...more] = await memberRows(database).all({ id: Number(id) });
  return user && principalOf([user, ...more], '');
}

/** A power failure may undo it. */
const storeSessionUse = statement()({
  sql: 'update session set last_used_at = $at where id = $id',
  given: { id: 'text', at: 'timestamptz' },
});

/** A power failure may undo it. */
const storeKeyUse = statement()({
  sql: 'update api_key set last_used_at = $at, last_used_address = $address where id = $id',
  given: { id: 'text', at: 'timestamptz', address: 'text' },
});

/** Such as `Nov 3, 2026 at 10:00 UTC`. */
function inWords(time: Date): string {
  const part = (options: Intl.DateTimeFormatOptions) => time.toLocaleString('en-US', { ...options, timeZone: 'UTC' });
  return `${part({ dateStyle: 'medium' })} at ${part({ timeStyle: 'short', hourCycle: 'h23' })} UTC`;
}

async function loadKey(database: Database, keyID: string, now: Date, isFromV3 = false): Promise<Found | null> {
  const key = await database.query
    .selectFrom('api_key')
    .leftJoin('application', 'application.id', 'api_key.application_id')
    .select([
      'api_key.is_admin',
      'api_key.access',
      'api_key.organization_id',
      'api_key.application_id',
      'api_key.expires_at',
      'application.organization_id as owner_id',
    ])
    .where('api_key.id', '=', keyID)
    .$if(isFromV3, (keys) => keys.where('api_key.is_from_v3', '=', true))
    .executeTakeFirst();
  if (!key) return null;
  const { expires_at: expiry } = key;
  if (expiry && expiry <= now) throw refusal('API_KEY_EXPIRED', { date: inWords(expiry) });
  const text = (id: number | null) => (id === null ? null : String(id));
  const principal = {
    kind: 'apiKey' as const,
    id: keyID,
    access: key.access,
    isAdmin: key.is_admin,
    organizationID: text(key.organization_id),
    applicationID: text(key.application_id),
    applicationOrganizationID: text(key.owner_id),
  };
  return { principal, endsAt: expiry?.getTime() ?? Number.POSITIVE_INFINITY, lastUsedAt: undefined };
}
