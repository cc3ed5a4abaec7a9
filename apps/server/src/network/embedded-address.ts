import type { Database } from '../database/database.ts';

/** Embedded network servers are registered with `embedded:<region>` in place of an address. */

const prefix = 'embedded:';

export function embeddedServer(region: string): string {
  return `${prefix}${region}`;
}

/** The region of an embedded network server; undefined for a remote one. */
export function regionOf({ server }: { server: string }): string | undefined {
  return server.startsWith(prefix) ? server.slice(prefix.length) : undefined;
}

export function isEmbedded(row: { server: string }): boolean {
  return regionOf(row) !== undefined;
}

/** Whether no network server is remote. */
export async function areAllEmbedded({ query }: Database): Promise<boolean> {
  const rows = await query.selectFrom('network_server').select('server').execute();
  return rows.every(isEmbedded);
}
