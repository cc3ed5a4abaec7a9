import type { Needs } from '../../needs.ts';

/** Ends the connections of gateways that are about to be removed; call it in the transaction that does. */
export async function endCertificates(
  { database, principals }: Pick<Needs, 'database' | 'principals'>,
  gatewayIDs: readonly string[],
): Promise<void> {
  const certificates = database.query.selectFrom('client_certificate').select('serial');
  const rows = await certificates.where('gateway_id', 'in', gatewayIDs).execute();
  for (const { serial } of rows) principals.changed(serial);
}
