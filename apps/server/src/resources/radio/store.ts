import { parseMessage, RadioSettings } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';

/** The radio settings of an embedded network server; empty when none are stored. */
export async function loadRadioSettings({ query }: Database, networkServerID: number): Promise<RadioSettings> {
  const rows = query.selectFrom('network_radio').select('settings').where('network_server_id', '=', networkServerID);
  const row = await rows.executeTakeFirst();
  return parseMessage(RadioSettings, row?.settings ?? {});
}

export async function saveRadioSettings(
  { query }: Database,
  networkServerID: number,
  settings: RadioSettings,
  now: Date,
): Promise<void> {
  const row = { settings: JSON.stringify(settings), updated_at: now };
  await query
    .insertInto('network_radio')
    .values({ network_server_id: networkServerID, ...row })
    .onConflict((on) => on.column('network_server_id').doUpdateSet(row))
    .execute();
}
