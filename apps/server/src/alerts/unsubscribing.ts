import { randomUUID } from 'node:crypto';
import { type AlertSubscription, type AlertUnsubscribedFrom, refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';

/** What the link in a mail is about. */
export interface Subscription {
  readonly organizationID: number;
  readonly ruleID: string;
  /** In lower case. */
  readonly address: string;
}

const purpose = 'alert_unsubscription.token';

/** The token of a link is not stored: people store mails longer than the server stores messages, and the links continue to work. */
export function subscriptionToken(secrets: Pick<Secrets, 'seal'>, { organizationID, ruleID, address }: Subscription) {
  const plain = new TextEncoder().encode(JSON.stringify([organizationID, ruleID, address]));
  return secrets.seal(plain, purpose).toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** Throws a refusal for a token that this installation has not made. */
export function subscriptionOf(secrets: Pick<Secrets, 'open'>, token: string): Subscription {
  try {
    const sealed = Uint8Array.fromBase64(token, { alphabet: 'base64url' });
    const plain = new TextDecoder().decode(secrets.open(sealed, purpose));
    const [organizationID, ruleID, address] = JSON.parse(plain) as [number, string, string];
    return { organizationID, ruleID, address };
  } catch {
    throw refusal('UNSUBSCRIBE_LINK_INVALID');
  }
}

/** The addresses, in lower case, that ended the mails of a rule or of its organization. */
export async function unsubscribedAddresses(
  { query }: Database,
  { organizationID, ruleID }: Omit<Subscription, 'address'>,
): Promise<Set<string>> {
  const rows = await query
    .selectFrom('alert_unsubscription')
    .select('address')
    .where('organization_id', '=', organizationID)
    .where((eb) => eb.or([eb('rule_id', '=', ruleID), eb('rule_id', 'is', null)]))
    .execute();
  return new Set(rows.map(({ address }) => address));
}

/** What a receiver gets. Throws a refusal when the organization is gone; without its rule, the name is empty. */
export async function readSubscription(
  { query }: Database,
  { organizationID, ruleID, address }: Subscription,
): Promise<AlertSubscription> {
  const organization = await query
    .selectFrom('organization')
    .select('display_name')
    .where('id', '=', organizationID)
    .executeTakeFirst();
  if (!organization) throw refusal('UNSUBSCRIBE_LINK_INVALID');
  const rule = await query
    .selectFrom('alert_rule')
    .select('name')
    .where('id', '=', ruleID)
    .where('organization_id', '=', organizationID)
    .executeTakeFirst();
  const ended = await query
    .selectFrom('alert_unsubscription')
    .select('rule_id')
    .where('organization_id', '=', organizationID)
    .where('address', '=', address)
    .where((eb) => eb.or([eb('rule_id', '=', ruleID), eb('rule_id', 'is', null)]))
    .execute();
  const isAll = ended.some(({ rule_id }) => rule_id === null);
  return {
    address,
    organizationName: organization.display_name,
    ruleName: rule?.name ?? '',
    unsubscribedFrom: isAll ? 'ORGANIZATION' : ended.length > 0 ? 'RULE' : 'NOTHING',
  };
}

/** Ends the mails of a rule or of its organization, or with `NOTHING` begins them again. Call it in a transaction. */
export async function unsubscribe(
  database: Database,
  subscription: Subscription,
  from: AlertUnsubscribedFrom,
  now: number,
): Promise<AlertSubscription> {
  const { organizationID, ruleID, address } = subscription;
  const { ruleName } = await readSubscription(database, subscription);
  await database.query
    .deleteFrom('alert_unsubscription')
    .where('organization_id', '=', organizationID)
    .where('address', '=', address)
    .where((eb) => eb.or([eb('rule_id', '=', ruleID), eb('rule_id', 'is', null)]))
    .execute();
  const isStored = from === 'ORGANIZATION' || (from === 'RULE' && ruleName !== '');
  if (isStored)
    await database.query
      .insertInto('alert_unsubscription')
      .values({
        id: randomUUID(),
        organization_id: organizationID,
        rule_id: from === 'RULE' ? ruleID : null,
        address,
        created_at: now,
      })
      .onConflict((on) => on.doNothing())
      .execute();
  return readSubscription(database, subscription);
}
