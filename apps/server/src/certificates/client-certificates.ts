import type { X509Certificate } from 'node:crypto';
import { type ClientCertificate, mostClientCertificates, refusal } from '@hilltop/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../database/database.ts';
import { countOf, type Page, readPage } from '../database/page.ts';
import type { Tables } from '../database/tables.ts';

/** Rows of the client certificates of applications and gateways. */

export type ClientAuthority = 'applications' | 'settings';

/** The owner of a certificate. */
export type CertificateOwner = { applicationID: number } | { gatewayID: string };

/** The most revoked or expired certificates that stay listed. Older ones are removed, and stay invalid. */
export const mostEndedCertificates = 50;
const forgottenAtOnce = 100;

/** How exactly the time of the last use is stored: each update costs a write. */
const useStepMs = 3_600_000;

type NewCertificate = { serial: string; issuedAt: Date; expiresAt: Date } & (
  | { authority: ClientAuthority; applicationID: number }
  | { authority: 'gateways'; gatewayID: string }
);

/**
 * Lists a new certificate. Throws code 9 when its owner has as many valid ones as allowed. Locks the owner, so that two
 * calls at once cannot both add the last one.
 */
export async function addClientCertificate(database: Database, certificate: NewCertificate): Promise<void> {
  await holdOwner(database, certificate);
  const own = database.query.selectFrom('client_certificate').where(isOf(certificate));
  const { issuedAt: now } = certificate;
  const good = await countOf(own.where('revoked_at', 'is', null).where('expires_at', '>', now));
  if (good >= mostClientCertificates) throw refusal('TOO_MANY_CERTIFICATES', { most: mostClientCertificates });
  await insertClientCertificate(database, certificate);
  // A certificate of the version 3 authority would become valid again if its row were removed.
  const ended = own
    .select('serial')
    .where((row) =>
      row.or([row('expires_at', '<=', now), row('revoked_at', 'is not', null).and('authority', '!=', 'settings')]),
    );
  const sorted = ended.orderBy('issued_at', 'desc').orderBy('serial');
  const forgotten = await sorted.limit(forgottenAtOnce).offset(mostEndedCertificates).execute();
  if (forgotten.length === 0) return;
  const serials = forgotten.map(({ serial }) => serial);
  await database.query.deleteFrom('client_certificate').where('serial', 'in', serials).execute();
}

/** Locks the owner; SQLite has a single writer anyway. */
async function holdOwner({ query, kind }: Database, owner: CertificateOwner): Promise<void> {
  if (kind === 'sqlite') return;
  const held =
    'gatewayID' in owner
      ? query.selectFrom('gateway').select('id').where('id', '=', owner.gatewayID)
      : query.selectFrom('application').select('id').where('id', '=', owner.applicationID);
  await held.forUpdate().execute();
}

async function insertClientCertificate({ query }: Database, certificate: NewCertificate): Promise<void> {
  const { serial, authority, issuedAt, expiresAt } = certificate;
  const owner =
    'gatewayID' in certificate
      ? { application_id: null, gateway_id: certificate.gatewayID }
      : { application_id: certificate.applicationID, gateway_id: null };
  await query
    .insertInto('client_certificate')
    .values({ serial, authority, ...owner, issued_at: issuedAt, expires_at: expiresAt })
    .onConflict((on) => on.column('serial').doNothing())
    .execute();
}

export function listClientCertificates({ query }: Database, owner: CertificateOwner, page: Page) {
  const all = query.selectFrom('client_certificate').where(isOf(owner));
  return readPage(
    page,
    () => countOf(all),
    async () => {
      const sorted = all.selectAll().orderBy('issued_at', 'desc').orderBy('serial');
      const rows = await sorted.limit(page.limit).offset(page.offset).execute();
      return rows.map(
        (row): ClientCertificate => ({
          serial: row.serial,
          issuedAt: row.issued_at.toISOString(),
          expiresAt: row.expires_at.toISOString(),
          revokedAt: row.revoked_at?.toISOString() ?? null,
          lastUsedAt: row.last_used_at?.toISOString() ?? null,
        }),
      );
    },
  );
}

/** False when the owner has no such certificate. A revoked one stays as it is. */
export async function revokeClientCertificate(
  { query }: Database,
  owner: CertificateOwner,
  { serial, at }: { serial: string; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('client_certificate')
    .set((row) => ({ revoked_at: row.fn.coalesce('revoked_at', row.val(at)) }))
    .where('serial', '=', serial)
    .where(isOf(owner))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function isOf(owner: CertificateOwner) {
  return (row: ExpressionBuilder<Tables, 'client_certificate'>) =>
    'gatewayID' in owner ? row('gateway_id', '=', owner.gatewayID) : row('application_id', '=', owner.applicationID);
}

/** When recording the last use fails, the client is accepted all the same. */
async function noteUse({ query }: Database, serial: string, lastUsedAt: Date | null, at: Date): Promise<void> {
  if (lastUsedAt && at.getTime() - lastUsedAt.getTime() < useStepMs) return;
  await query
    .updateTable('client_certificate')
    .set({ last_used_at: at })
    .where('serial', '=', serial)
    .execute()
    .catch(() => undefined);
}

/** The owner that a certificate of one of our authorities identifies; undefined when it is invalid. */
export async function ownerOf(
  database: Database,
  certificate: X509Certificate,
  { authority, at }: { authority: ClientAuthority; at: Date },
): Promise<{ serial: string; applicationID: number; organizationID: number } | undefined> {
  const serial = certificate.serialNumber.toLowerCase();
  const applicationID = Number(/(?:^|\n)CN=(\d{1,15})(?:\n|$)/.exec(certificate.subject)?.[1] ?? 'none');
  if (!Number.isSafeInteger(applicationID)) return undefined;
  const { query } = database;
  const found = await query
    .selectFrom('application')
    .leftJoin('client_certificate', (join) => join.on('client_certificate.serial', '=', serial))
    .select(['application.organization_id', 'client_certificate.application_id', 'client_certificate.revoked_at'])
    .select(['client_certificate.authority', 'client_certificate.last_used_at'])
    .where('application.id', '=', applicationID)
    .executeTakeFirst();
  if (!found || found.revoked_at !== null) return undefined;
  if (found.application_id === null) {
    // Certificates of the version 3 authority are listed when first used, so that they can be revoked.
    if (authority !== 'settings') return undefined;
    const { validFromDate: issuedAt, validToDate: expiresAt } = certificate;
    await insertClientCertificate(database, { serial, authority, applicationID, issuedAt, expiresAt });
  } else if (found.application_id !== applicationID || found.authority !== authority) return undefined;
  await noteUse(database, serial, found.last_used_at, at);
  return { serial, applicationID, organizationID: found.organization_id };
}

/** The gateway that a certificate of our authority for gateways identifies; undefined when it is invalid. */
export async function gatewayOf(
  database: Database,
  certificate: X509Certificate,
  at: Date,
): Promise<{ serial: string; gatewayID: string } | undefined> {
  const serial = certificate.serialNumber.toLowerCase();
  const row = await database.query
    .selectFrom('client_certificate')
    .select(['gateway_id', 'revoked_at', 'last_used_at'])
    .where('serial', '=', serial)
    .executeTakeFirst();
  const gatewayID = row?.revoked_at === null ? row.gateway_id : null;
  if (!row || gatewayID === null || certificate.subject !== `CN=${gatewayID}`) return undefined;
  await noteUse(database, serial, row.last_used_at, at);
  return { serial, gatewayID };
}
