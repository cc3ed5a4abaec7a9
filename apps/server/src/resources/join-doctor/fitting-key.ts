import { decodeFrame, equalBytes, joinRequestMic } from '@hilltop/lorawan';
import type { Database } from '../../database/database.ts';
import { openRootKey, openRootKeys, type RootKeys } from '../../network/root-keys.ts';
import type { Secrets } from '../../secrets.ts';

/** Which key signed a join-request: `STORED` when it was corrected since. */
export type KeyFit =
  | { fit: 'STORED' | 'REVERSED' | 'EXCHANGED' | 'ZEROS' | 'NONE' }
  | { fit: 'OTHER'; devEUI: string; name: string };

const mostNeighbours = 200;

interface SignedRequest {
  devEUI: string;
  applicationID: number;
  /** The join-request as received. */
  frame: Uint8Array;
}

/** Tries the keys by which a join-request that does not fit its own is usually signed. No key leaves this function. */
export async function fittingKey(
  { database, secrets }: { database: Database; secrets: Secrets },
  { devEUI, applicationID, frame }: SignedRequest,
): Promise<KeyFit> {
  const request = decodeFrame(frame);
  if (request.mType !== 'JoinRequest') return { fit: 'NONE' };
  const signed = frame.subarray(0, -4);
  const fits = (key: Uint8Array) => equalBytes(request.mic, joinRequestMic(key, signed));
  const own = await database.query
    .selectFrom('device_keys')
    .select(['nwk_key', 'app_key'])
    .where('dev_eui', '=', devEUI)
    .executeTakeFirst();
  if (own) {
    const fit = fitOf(openRootKeys(secrets, devEUI, own), fits);
    if (fit) return { fit };
  }
  if (fits(new Uint8Array(16))) return { fit: 'ZEROS' };
  for (const row of await neighbours(database, { devEUI, applicationID }))
    if (fits(openRootKey(secrets, row.dev_eui, row, 'nwk_key')))
      return { fit: 'OTHER', devEUI: row.dev_eui, name: row.name };
  return { fit: 'NONE' };
}

function fitOf({ nwkKey, appKey }: RootKeys, fits: (key: Uint8Array) => boolean) {
  if (fits(nwkKey)) return 'STORED';
  if (fits(nwkKey.toReversed())) return 'REVERSED';
  // A 1.0 device has zeros in its second key.
  return appKey.some((byte) => byte !== 0) && fits(appKey) ? 'EXCHANGED' : undefined;
}

/** The devices of the application whose EUIs are next to that one: an import with shifted rows exchanged their keys. */
async function neighbours({ query }: Database, { devEUI, applicationID }: Omit<SignedRequest, 'frame'>) {
  const near = async (side: '<' | '>') =>
    await query
      .selectFrom('device')
      .innerJoin('device_keys', 'device_keys.dev_eui', 'device.dev_eui')
      .select(['device.dev_eui', 'device.name', 'device_keys.nwk_key', 'device_keys.app_key'])
      .where('device.application_id', '=', applicationID)
      .where('device.dev_eui', side, devEUI)
      .orderBy('device.dev_eui', side === '<' ? 'desc' : 'asc')
      .limit(mostNeighbours / 2)
      .execute();
  return [...(await near('<')), ...(await near('>'))];
}
