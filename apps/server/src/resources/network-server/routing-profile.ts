import type { Database } from '../../database/database.ts';
import { uuidBytes } from '../../identifiers.ts';

/** This application server, by the id under which network servers know it and which devices and gateways name. */
export async function loadRoutingProfileID({ query }: Database): Promise<Uint8Array> {
  const { application_server_id } = await query.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
  return uuidBytes(application_server_id);
}
