import type { Database } from '../../database/database.ts';
import type { Principals } from '../../identity/principals.ts';

/** Ends the connections of gateways that are about to be removed. Call it in the transaction that removes them. */
export async function endCertificateConnections(
  { database, principals }: { database: Database; principals: Principals },
  gatewayIDs: readonly string[],
): Promise<void> {
  const certificates = database.query.selectFrom('client_certificate').select('serial');
  const rows = await certificates.where('gateway_id', 'in', gatewayIDs).execute();
  for (const { serial } of rows) principals.changed(serial);
}
