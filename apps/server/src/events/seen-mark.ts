/** How far `device.seen_mark` may lag behind `device.last_seen_at`. */
export const seenMarkLagMs = 60_000;
