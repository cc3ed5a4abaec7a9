import type { Database } from '../../database/database.ts';
import type { RXInfoJson } from '../event-json.ts';

/** Receptions of one uplink. */
export interface Frame {
  readonly eventID: string;
  /** By the clock of a gateway. */
  readonly at: string;
  readonly rxInfo: readonly RXInfoJson[];
}

/** More are never located together. */
const most = 30;

/** Adds a frame to those of a device that are at most `ttlSeconds` older, once each; answers all of them, oldest first. */
export function bufferFrame(
  database: Database,
  devEUI: string,
  frame: Frame,
  ttlSeconds: number,
): Promise<readonly Frame[]> {
  return database.transaction(async () => {
    const { query } = database;
    const device = await query
      .selectFrom('device')
      .leftJoin('loracloud_frames', 'loracloud_frames.dev_eui', 'device.dev_eui')
      .select('buffer')
      .where('device.dev_eui', '=', devEUI)
      .executeTakeFirst();
    if (!device) return [frame];
    const since = Date.parse(frame.at) - ttlSeconds * 1000;
    const known = (device.buffer?.frames ?? []) as unknown as readonly Frame[];
    const kept = known.filter(({ eventID, at }) => eventID !== frame.eventID && Date.parse(at) >= since);
    const frames = [...kept, frame].slice(-most);
    const buffer = { frames: frames.map((one) => ({ ...one, rxInfo: [...one.rxInfo] })) };
    await query
      .insertInto('loracloud_frames')
      .values({ dev_eui: devEUI, buffer })
      .onConflict((conflict) => conflict.column('dev_eui').doUpdateSet({ buffer }))
      .execute();
    return frames;
  });
}
