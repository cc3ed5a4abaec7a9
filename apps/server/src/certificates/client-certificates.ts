import type { X509Certificate } from 'node:crypto';
import type { MQTTCertificate } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { countOf, type Page, readPage } from '../database/page.ts';

/** Rows of certificates by which the programs of an application and gateways sign in. */

export type ClientAuthority = 'applications' | 'settings';

export async function insertClientCertificate(
  { query }: Database,
  certificate: { serial: string; issuedAt: Date; expiresAt: Date } & (
    | { authority: ClientAuthority; applicationID: number }
    | { authority: 'gateways'; gatewayID: string }
  ),
): Promise<void> {
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

export function listClientCertificates({ query }: Database, applicationID: number, page: Page) {
  const all = query.selectFrom('client_certificate').where('application_id', '=', applicationID);
  return readPage(
    page,
    () => countOf(all),
    async () => {
      const sorted = all.selectAll().orderBy('issued_at', 'desc').orderBy('serial');
      const rows = await sorted.limit(page.limit).offset(page.offset).execute();
      return rows.map(
        (row): MQTTCertificate => ({
          serial: row.serial,
          issuedAt: row.issued_at.toISOString(),
          expiresAt: row.expires_at.toISOString(),
          revokedAt: row.revoked_at?.toISOString() ?? null,
        }),
      );
    },
  );
}

/** False when the application has no such certificate. One that is revoked stays as it was. */
export async function revokeClientCertificate(
  { query }: Database,
  { applicationID, serial, at }: { applicationID: number; serial: string; at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable('client_certificate')
    .set((row) => ({ revoked_at: row.fn.coalesce('revoked_at', row.val(at)) }))
    .where('serial', '=', serial)
    .where('application_id', '=', applicationID)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What a certificate that one of our authorities has signed stands for; undefined when it is good for nothing. */
export async function ownerOf(
  database: Database,
  certificate: X509Certificate,
  authority: ClientAuthority,
): Promise<{ serial: string; applicationID: number; organizationID: number } | undefined> {
  const serial = certificate.serialNumber.toLowerCase();
  const applicationID = Number(/(?:^|\n)CN=(\d{1,15})(?:\n|$)/.exec(certificate.subject)?.[1] ?? 'none');
  if (!Number.isSafeInteger(applicationID)) return undefined;
  const { query } = database;
  const found = await query
    .selectFrom('application')
    .leftJoin('client_certificate', (join) => join.on('client_certificate.serial', '=', serial))
    .select(['application.organization_id', 'client_certificate.application_id', 'client_certificate.revoked_at'])
    .select('client_certificate.authority')
    .where('application.id', '=', applicationID)
    .executeTakeFirst();
  if (!found || found.revoked_at !== null) return undefined;
  if (found.application_id === null) {
    // Those of an older server's authority are listed from the first time they are seen, so that they can be revoked.
    if (authority !== 'settings') return undefined;
    const { validFromDate: issuedAt, validToDate: expiresAt } = certificate;
    await insertClientCertificate(database, { serial, authority, applicationID, issuedAt, expiresAt });
  } else if (found.application_id !== applicationID || found.authority !== authority) return undefined;
  return { serial, applicationID, organizationID: found.organization_id };
}

/** The gateway that a certificate of our authority for them stands for; undefined when it is good for nothing. */
export async function gatewayOf(
  { query }: Database,
  certificate: X509Certificate,
): Promise<{ serial: string; gatewayID: string } | undefined> {
  const serial = certificate.serialNumber.toLowerCase();
  const row = await query
    .selectFrom('client_certificate')
    .select(['gateway_id', 'revoked_at'])
    .where('serial', '=', serial)
    .executeTakeFirst();
  const gatewayID = row?.revoked_at === null ? row.gateway_id : null;
  return gatewayID !== null && certificate.subject === `CN=${gatewayID}` ? { serial, gatewayID } : undefined;
}
