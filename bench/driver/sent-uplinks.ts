import { type Fleet, heard } from './fleet.ts';
import { openGateways } from './gateways.ts';
import type { Ground } from './ground.ts';
import { pace } from './pace.ts';
import type { BenchServer } from './server.ts';

/** Uplinks of all devices of a fleet in turn, of which is known when each was sent. */
export interface SentUplinks extends Disposable {
  /** By `<devEUI> <fCnt>`, as `performance.now()` has it. */
  readonly at: Map<string, number>;
  /** At an even rate, whatever comes back. */
  send: (perSecond: number, seconds: number) => Promise<void>;
}

/** How long a server gathers copies before it tells of an uplink. */
export const windowMs = 200;

const data = new Uint8Array(20).fill(0x5a);

export async function sentUplinks({ hilltop }: BenchServer, ground: Ground, fleet: Fleet): Promise<SentUplinks> {
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
        return { key, datagram: gateways.prepare(index, heard(device.uplink({ fPort: 10, data }), index * 100)) };
      });
      await pace(perSecond, count, (index) => {
        at.set(made[index]!.key, performance.now());
        gateways.send(index, made[index]!.datagram);
      });
    },
    [Symbol.dispose]: () => gateways[Symbol.dispose](),
  };
}
