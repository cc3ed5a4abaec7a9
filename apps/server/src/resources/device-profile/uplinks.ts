import type { Operations, ProfileUplink } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { lastOfDevice } from '../../event-log/chain.ts';
import type { Handlers } from '../../http/call.ts';
import { deviceProfiles } from './store.ts';

/** Events of one device that are looked through: uplinks without a payload and other events are among them. */
const mostOfDevice = 100;

/**
 * The newest uplinks with a payload of the devices of a profile, the newest first. They are all of the devices that were
 * seen last, so only as many devices are read as uplinks are wanted.
 */
export async function lastUplinksOf(
  database: Database,
  deviceProfileID: string,
  limit: number,
): Promise<ProfileUplink[]> {
  if (limit === 0) return [];
  const devices = await database.query
    .selectFrom('device')
    .select('dev_eui')
    .where('device_profile_id', '=', deviceProfileID)
    .where('last_seen_at', 'is not', null)
    .orderBy('last_seen_at', 'desc')
    .limit(limit)
    .execute();
  let found: ProfileUplink[] = [];
  for (const { dev_eui } of devices) {
    const events = await lastOfDevice(database.query, { devEUI: dev_eui, most: mostOfDevice, type: 'up' });
    const uplinks = events.map(({ payload }) => uplinkOf(dev_eui, payload)).filter(({ data }) => data !== '');
    found = [...found, ...uplinks.slice(0, limit)].sort(newestFirst).slice(0, limit);
  }
  return found;
}

const newestFirst = (one: ProfileUplink, other: ProfileUplink) =>
  (other.publishedAt ?? '').localeCompare(one.publishedAt ?? '');

type UplinkEvent = Pick<ProfileUplink, 'deviceName' | 'fCnt' | 'fPort' | 'objectJSON'> & {
  publishedAt: string;
  data: string | null;
};

function uplinkOf(devEUI: string, payload: string): ProfileUplink {
  const { deviceName, publishedAt, fCnt, fPort, data, objectJSON } = JSON.parse(payload) as UplinkEvent;
  return { devEUI, deviceName, publishedAt, fCnt, fPort, data: data ?? '', objectJSON };
}

/** Received payloads, to try a codec on. */
export function profileUplinkRoutes({ database }: { database: Database }): Handlers<Operations['profileUplink']> {
  return {
    list: async ({ deviceProfileID, limit }) => {
      await deviceProfiles.load(database, deviceProfileID);
      return { result: await lastUplinksOf(database, deviceProfileID, limit) };
    },
  };
}
