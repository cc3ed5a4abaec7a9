import type { DeviceListItem } from '@hilltop/contract';
import { integration } from '@hilltop/protobuf';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import { seenMarkLagMs } from '../../events/seen-mark.ts';
import { inactiveAfterIntervals } from '../inactivity.ts';
import type { DeviceRow } from './store.ts';

export type DeviceState = NonNullable<DeviceListItem['state']>;
/** The number of inactive devices of each application; those without any are left out. */
export async function inactiveByApplication(
  { query, kind }: Database,
  applicationIDs: readonly number[],
  now: Date,
): Promise<ReadonlyMap<number, number>> {
  const profiles = await query
    .selectFrom('device_profile')
    .select(['id', 'uplink_interval_ms'])
    .where('organization_id', 'in', (eb) =>
      eb
        .selectFrom('application')
        .select('organization_id')
        .where(isInList(kind, 'id', applicationIDs)),
    )
    .execute();
  const counts = new Map<number, number>();
  const inApplications = isInList(kind, 'application_id', applicationIDs);
  // The plus keeps SQLite from the index of applications, which would read each row for its mark.
  const ofThese = kind === 'sqlite' ? sql<boolean>`+${inApplications}` : inApplications;
  const byApplication = kind === 'sqlite' ? sql`+${sql.ref('application_id')}` : sql.ref('application_id');
  for (const [intervalMs, alike] of Map.groupBy(profiles, (one) => one.uplink_interval_ms)) {
    const since = new Date(now.getTime() - inactiveAfterIntervals * intervalMs);
    const surely = new Date(since.getTime() - seenMarkLagMs);
    const profileIDs = alike.map(({ id }) => id);
    const devices = query
      .selectFrom('device')
      .select((eb) => ['application_id', eb.fn.countAll<number>().as('count')])
      .where(isInList(kind, 'device_profile_id', profileIDs))
      .where(ofThese)
      .groupBy(byApplication);
    // The row itself is only read for devices whose mark is near the limit.
    const perhaps = devices.where('seen_mark', '>=', surely).where('seen_mark', '<', since);
    for (const rows of [devices.where('seen_mark', '<', surely), perhaps.where('last_seen_at', '<', since)])
      for (const row of await rows.execute())
        counts.set(row.application_id, (counts.get(row.application_id) ?? 0) + Number(row.count));
  }
  return counts;
}

type StateInput = Pick<DeviceRow, 'dev_eui' | 'last_seen_at'> & { uplink_interval_ms: number };

/**
 * The state of each of these devices. A third party can forge join-requests that are refused, so a refusal does not
 * change the state of an active device.
 */
export async function statesOf(
  { query }: Database,
  rows: readonly StateInput[],
  now: Date,
): Promise<ReadonlyMap<string, DeviceState>> {
  const refused = await query
    .selectFrom('last_error')
    .select(['dev_eui', 'at'])
    .where('kind', '=', integration.ErrorType.numbers.OTAA)
    .where(
      'dev_eui',
      'in',
      rows.map(({ dev_eui }) => dev_eui),
    )
    .execute();
  const refusedAt = new Map(refused.map(({ dev_eui, at }) => [dev_eui, at]));
  return new Map(
    rows.map((row) => {
      const state = stateOf(row, now);
      const isRefused = (refusedAt.get(row.dev_eui) ?? 0) > (row.last_seen_at?.getTime() ?? 0);
      return [row.dev_eui, isRefused && state !== 'ACTIVE' ? 'JOIN_REFUSED' : state];
    }),
  );
}

function stateOf({ last_seen_at: seenAt, uplink_interval_ms: intervalMs }: StateInput, now: Date): DeviceState {
  if (!seenAt) return 'NEVER_SEEN';
  return now.getTime() - seenAt.getTime() <= inactiveAfterIntervals * intervalMs ? 'ACTIVE' : 'INACTIVE';
}
