import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Device, Transmission } from '@hilltop/simulator';
import { seededRandom } from '@hilltop/simulator';
import { createFakeCopies } from './fake-copies.ts';
import { createRig, devEUI, gatewayIDs, type RigOptions } from './rig.ts';

const steps = 40;
const instanceCount = 3;
const versions = ['1.0.2', '1.0.3', '1.0.4', '1.1.0'];

/**
 * Registers a test for each seed: three instances on one state, which end and restart, and a device that joins again and
 * again. It may not receive a join-accept, and then goes on in its session. After a join-accept that it received, one
 * more of its join-requests arrives late. Each of its uplinks is processed once and in order.
 */
export function describeJoins(
  name: string,
  stateOf: (seed: number) => RigOptions['openState'],
  seeds: readonly number[],
): void {
  describe(`devices that join again, with late join-requests and instances that end, ${name}`, () => {
    for (const seed of seeds)
      it(`seed ${seed}: lose no uplink`, async () => {
        const { rig, sent } = await live(seed, stateOf(seed));
        const received = rig.application.calls.flatMap((call) => (call.event === 'up' ? [call.fCnt] : []));
        assert.deepEqual(received, sent);
        assert.deepEqual(await rig.unfinished(), []);
        const { current } = await rig.state.sessions(devEUI);
        assert.equal(current?.fCntUp, sent.at(-1)! + 1);
      });
  });
}

async function live(seed: number, openState: RigOptions['openState']) {
  const random = seededRandom(seed);
  const chance = (share: number) => random() < share;
  const below = (most: number) => Math.floor(random() * most);
  const copies = createFakeCopies();
  const macVersion = versions[seed % versions.length]!;
  const rig = await createRig({ macVersion, copies: () => copies.side(), ...(openState && { openState }) });
  let nonce = 1;
  let device = await rig.joined({ devNonce: nonce });
  const instances = await Promise.all(Array.from({ length: instanceCount }, () => rig.companion()));
  const sent: number[] = [];

  /** Passes copies to instances, some of which end before they process them. */
  async function transmit(transmission: Transmission): Promise<void> {
    for (let copy = 1 + below(2); copy > 0; copy -= 1) {
      copies.isAway = chance(0.2);
      const at = below(instanceCount);
      await rig.receiveFrame(transmission, { gatewayID: gatewayIDs[below(2)]! }, instances[at]);
      if (!chance(0.15)) continue;
      instances[at]!.die();
      instances[at] = await rig.companion();
    }
  }

  /** A join-request with its join-accept, if an instance sends one. */
  async function request(joining: Device): Promise<Uint8Array | undefined> {
    const before = rig.sent.length;
    await rig.receiveFrame(joining.joinRequest(), {}, instances[below(instanceCount)]);
    await rig.clock.advance(1000);
    return rig.sent[before]?.items[0]?.phyPayload;
  }

  for (let step = 0; step < steps; step += 1) {
    if (chance(0.3)) {
      nonce += 1;
      const joining = rig.device({ devNonce: nonce });
      const accept = await request(joining);
      if (accept && chance(0.7)) {
        assert.equal(joining.receive(accept).kind, 'joined');
        device = joining;
        nonce += 1;
        if (chance(0.6)) await request(rig.device({ devNonce: nonce }));
      }
    }
    for (let uplinks = 1 + below(2); uplinks > 0; uplinks -= 1) {
      sent.push(device.session!.fCntUp);
      await transmit(device.uplink({ fPort: 5, confirmed: chance(0.3) }));
      await rig.clock.advance(1000 + below(2000));
    }
  }
  for (let seconds = 0; seconds < 10; seconds += 1) await rig.clock.advance(1000);
  return { rig, sent };
}
