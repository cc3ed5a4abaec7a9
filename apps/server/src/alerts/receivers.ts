import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { quotedName } from '../mail/quoted-name.ts';
import { channelsIn } from './channels.ts';

/** Addresses of an organization that wait for a confirmation, those that were removed today included. */
const mostUnconfirmed = 100;
const removedAfterMs = 86_400_000;
const askEveryMs = 3_600_000;
/** How long the link of a mail works. */
export const confirmWithinMs = 7 * 86_400_000;

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** The addresses that may get mail of an organization, in lower case: its members', unless they are unproven, and confirmed ones. */
export async function allowedAddresses({ query }: Database, organizationID: number): Promise<Set<string>> {
  const members = await query
    .selectFrom('organization_user')
    .innerJoin('user', 'user.id', 'organization_user.user_id')
    .select('email')
    .where('organization_id', '=', organizationID)
    .where('is_active', '=', true)
    .where('has_unproven_address', '=', false)
    .execute();
  const others = await query
    .selectFrom('alert_receiver')
    .select('address')
    .where('organization_id', '=', organizationID)
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set([...members.map(({ email }) => email.toLowerCase()), ...others.map(({ address }) => address)]);
}

interface Asking {
  organizationID: number;
  organizationName: string;
  addresses: readonly string[];
  publicURL: string;
  now: number;
}

/** Sends a link to each address that is not allowed yet, at most once an hour. Call it in a transaction. */
export async function askToConfirm(database: Database, { organizationID, addresses, ...asking }: Asking) {
  const allowed = await allowedAddresses(database, organizationID);
  const unknown = [...new Set(addresses.map((address) => address.toLowerCase()))].filter((one) => !allowed.has(one));
  if (unknown.length === 0) return;
  if (asking.publicURL === '') throw refusal('MAIL_NO_PUBLIC_URL');
  await removeUnused(database, organizationID, asking.now);
  const unconfirmed = await unconfirmedOf(database, organizationID);
  const askedAt = new Map(unconfirmed.map(({ address, asked_at }) => [address, asked_at]));
  const added = unknown.filter((address) => !askedAt.has(address));
  if (askedAt.size + added.length > mostUnconfirmed)
    throw refusal('TOO_MANY_UNCONFIRMED_ADDRESSES', { most: mostUnconfirmed });
  for (const address of unknown)
    if (asking.now - (askedAt.get(address) ?? 0) >= askEveryMs)
      await ask(database, { ...asking, organizationID, address });
}

const unconfirmedOf = ({ query }: Database, organizationID: number) =>
  query
    .selectFrom('alert_receiver')
    .select(['address', 'asked_at'])
    .where('organization_id', '=', organizationID)
    .where('confirmed_at', 'is', null)
    .execute();

/** The unconfirmed addresses that no rule of the organization names any more. */
async function unusedOf(database: Database, organizationID: number) {
  const unconfirmed = await unconfirmedOf(database, organizationID);
  if (unconfirmed.length === 0) return [];
  const rules = database.query
    .selectFrom('alert_rule')
    .select('channels')
    .where('organization_id', '=', organizationID);
  const named = (await rules.execute()).flatMap(({ channels }) => channelsIn(channels));
  const used = new Set(named.flatMap(({ addresses }) => addresses.map((address) => address.toLowerCase())));
  return unconfirmed.filter(({ address }) => !used.has(address));
}

/** Deletes the mails to unconfirmed addresses that were removed from all rules before they were sent. */
export async function cancelConfirmations(database: Database, organizationID: number): Promise<void> {
  const unused = await unusedOf(database, organizationID);
  if (unused.length === 0) return;
  const addresses = unused.map(({ address }) => address);
  await database.query
    .deleteFrom('alert_message')
    .where('organization_id', '=', organizationID)
    .where('rule_id', 'is', null)
    .where('state', '=', 'WAITING')
    .where('receiver', 'in', addresses)
    .execute();
}

/** Forgets removed addresses after a day: until then another mail within the hour is refused. */
async function removeUnused(database: Database, organizationID: number, now: number): Promise<void> {
  const unused = await unusedOf(database, organizationID);
  const addresses = unused.filter(({ asked_at }) => now - asked_at >= removedAfterMs).map(({ address }) => address);
  if (addresses.length === 0) return;
  await database.query
    .deleteFrom('alert_receiver')
    .where('organization_id', '=', organizationID)
    .where('address', 'in', addresses)
    .execute();
}

async function ask(
  { query }: Database,
  { organizationID, organizationName, address, publicURL, now }: Omit<Asking, 'addresses'> & { address: string },
) {
  const token = randomBytes(32).toString('base64url');
  const row = { token_hash: hashOf(token), asked_at: now, confirmed_at: null };
  await query
    .insertInto('alert_receiver')
    .values({ organization_id: organizationID, address, ...row })
    .onConflict((on) => on.columns(['organization_id', 'address']).doUpdateSet(row))
    .execute();
  await query
    .insertInto('alert_message')
    .values({
      id: randomUUID(),
      organization_id: organizationID,
      rule_id: null,
      kind: 'EMAIL',
      receiver: address,
      subject: `[Hilltop] Confirm your address for alerts from ${quotedName(organizationName)}`,
      body: JSON.stringify({ confirmURL: `${publicURL}/confirm-address#token=${token}`, organizationName }),
      state: 'WAITING',
      created_at: now,
      next_at: now,
      ended_at: null,
    })
    .execute();
}

/** Confirms an address. The token of its mail works once, for seven days. */
export async function confirmAddress(database: Database, token: string, now: number) {
  const { query } = database;
  const row = await query
    .updateTable('alert_receiver')
    .set({ confirmed_at: now, token_hash: '' })
    .where('token_hash', '=', hashOf(token))
    .where('confirmed_at', 'is', null)
    .where('asked_at', '>', now - confirmWithinMs)
    .returning(['address', 'organization_id'])
    .executeTakeFirst();
  if (!row) throw refusal('CONFIRMATION_INVALID');
  const organization = query.selectFrom('organization').select('display_name').where('id', '=', row.organization_id);
  const { display_name: organizationName } = await organization.executeTakeFirstOrThrow();
  return { address: row.address, organizationName };
}
