import type { BaseRecords } from './base-records.ts';
import { type Fleet, receptionOf } from './fleet.ts';
import { openGateways } from './gateways.ts';
import { pace } from './pace.ts';
import type { BenchServer } from './server.ts';

/** Uplinks of all devices of a fleet, round-robin, with the time at which each was sent. */
export interface SentUplinks extends Disposable {
  /** Time of sending by `<devEUI> <fCnt>`, from `performance.now()`. */
  readonly at: Map<string, number>;
  /** Sends at an even rate and waits for no answers. */
  send: (perSecond: number, seconds: number) => Promise<void>;
}

/** The deduplication window of the server. */
export const deduplicationWindowMs = 200;

const data = new Uint8Array(20).fill(0x5a);

export async function sentUplinks({ hilltop }: BenchServer, ground: BaseRecords, fleet: Fleet): Promise<SentUplinks> {
  const gateways = await openGateways(hilltop.udpPort, ground.gatewayIDs);
  const at = new Map<string, number>();
  return {
    at,
    send: async (perSecond, seconds) => {
      const count = perSecond * seconds;
      const made = Array.from({ length: count }, (_, index) => {
        const nth = index % fleet.devices.length;
        const device = fleet.devices[nth]!;
        const key = `${fleet.devEUIs[nth]} ${device.session!.fCntUp}`;
        return { key, datagram: gateways.prepare(index, receptionOf(device.uplink({ fPort: 10, data }), index * 100)) };
      });
      await pace(perSecond, count, (index) => {
        at.set(made[index]!.key, performance.now());
        gateways.send(index, made[index]!.datagram);
      });
    },
    [Symbol.dispose]: () => gateways[Symbol.dispose](),
  };
}
