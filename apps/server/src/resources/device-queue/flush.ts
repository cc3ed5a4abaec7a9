import type { Database } from '../../database/database.ts';
import type { DownlinkSteps } from '../../events/downlink-steps.ts';
import type { Networks } from '../../network/network-servers.ts';
import { networkServerOf } from '../device/store.ts';

/** Removes all downlinks that wait for a device. `by`: who does it, for its history. */
export async function flushQueue(
  { database, networks, downlinkSteps }: { database: Database; networks: Networks; downlinkSteps: DownlinkSteps },
  devEUI: string,
  by: string,
): Promise<void> {
  const network = await networks.of(await networkServerOf(database, devEUI));
  await database.transaction(async () => {
    await downlinkSteps.endAll(devEUI, 'FLUSHED', by).write();
    await network.flushDeviceQueueForDevEUI({ devEui: Uint8Array.fromHex(devEUI) });
  });
}
