import type { Needs } from '../../needs.ts';
import { removeDevicesOf } from '../device/remove.ts';

/** Removes an application with its devices, here and at the network server. To be called in a transaction. */
export async function removeApplication(needs: Needs, id: number): Promise<void> {
  const { query } = needs.database;
  await removeDevicesOf(needs, id);
  const keys = await query.selectFrom('api_key').select('id').where('application_id', '=', id).execute();
  for (const key of keys) needs.principals.changed(key.id);
  await query.deleteFrom('application').where('id', '=', id).execute();
}
