import { atField, type DeviceProfile, refusal } from '@hilltop/contract';
import { region } from '@hilltop/lorawan';
import { bootRX2Problem } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { regionOf } from '../network-server/embedded.ts';

const fields = { frequency: 'deviceProfile.rxFreq2', dataRate: 'deviceProfile.rxDataRate2' } as const;

/**
 * Refuses, at its field, a second receive window in which no gateway could send. A remote network server checks this
 * itself.
 */
export async function refuseImpossibleRX2(
  { query }: Database,
  networkServerID: number,
  { rxFreq2, rxDataRate2 }: Pick<DeviceProfile, 'rxFreq2' | 'rxDataRate2'>,
): Promise<void> {
  const row = await query
    .selectFrom('network_server')
    .select('server')
    .where('id', '=', networkServerID)
    .executeTakeFirstOrThrow();
  const name = regionOf(row);
  const problem = name && bootRX2Problem(region(name), { rxFreq2, rxDatarate2: rxDataRate2 });
  if (problem) throw atField(fields[problem.of], refusal('RX2_IMPOSSIBLE', { problem: problem.sentence }));
}
