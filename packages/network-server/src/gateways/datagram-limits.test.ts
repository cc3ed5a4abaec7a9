import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFakeClock } from '../testing/fake-clock.ts';
import { createDatagramLimits, type DatagramSender as From } from './datagram-limits.ts';

const gatewayID = '0a0b0c0d0e0f1011';
const otherID = '0a0b0c0d0e0f1012';
const gateway = { address: '192.0.2.1', port: 1000 };
const frame = 256;

interface Sender {
  address: string;
  port?: number;
  gatewayID?: string;
  perSecond: number;
  bytes?: number;
  sender?: From;
}

const seconds = 5;

/** Lets all senders send evenly for some seconds to a server of that capacity; answers the accepted share of each. */
async function run(
  senders: readonly Sender[],
  { isBehind = false, afterStart = 60, capacity = Infinity, pauseMs = 0 } = {},
) {
  const clock = createFakeClock();
  let waiting = 0;
  let nowMs = 0;
  const isPause = () => nowMs < pauseMs;
  const limits = createDatagramLimits(clock, () => isBehind || waiting > 200 || isPause());
  await clock.advance(afterStart * 1000);
  const taken = senders.map(() => 0);
  for (let ms = 0; ms < seconds * 1000; ms += 1) {
    for (const [
      nth,
      { address, port = 1, perSecond, bytes = frame, sender = 'stranger', ...rest },
    ] of senders.entries()) {
      const due = Math.floor(((ms + 1) * perSecond) / 1000) - Math.floor((ms * perSecond) / 1000);
      for (let sent = 0; sent < due; sent += 1)
        if (limits.refusal({ address, port }, rest.gatewayID ?? gatewayID, bytes, sender) === null) {
          taken[nth]! += 1;
          waiting += 1;
        }
    }
    const done = Math.min(waiting, capacity / 1000);
    waiting -= done;
    if (done > 0) limits.done(done * frame);
    nowMs = ms;
    await clock.advance(1);
  }
  return taken.map((frames, nth) => frames / (senders[nth]!.perSecond * seconds));
}

const unknownSenders = (count: number, perSecond: number, rest: Partial<Sender> = {}): Sender[] =>
  Array.from({ length: count }, (_, nth) => ({ address: `198.51.100.${nth}`, perSecond, ...rest }));

describe('limits of datagrams', () => {
  it('accept everything of the address that pulls, whatever others send in the name of its gateway', async () => {
    const [ofGateway, ofStranger] = await run([
      { ...gateway, perSecond: 100, sender: 'puller' as const },
      ...unknownSenders(1, 5000),
    ]);
    assert.equal(ofGateway, 1);
    assert.ok(ofStranger! < 0.3, `${ofStranger} of the flood`);
  });

  it('accept thousands of frames per second from one address that pulls', async () => {
    assert.deepEqual(await run([{ ...gateway, perSecond: 8000, sender: 'puller' as const }]), [1]);
  });

  it('accept a gateway that sends from another address than it pulls from, next to a flood in its name', async () => {
    const [ofGateway] = await run([{ ...gateway, perSecond: 10 }, ...unknownSenders(3, 2000)]);
    assert.ok(ofGateway! > 0.95, `${ofGateway} of the gateway`);
  });

  it('limit all senders that do not pull together, however many addresses and gateways they use', async () => {
    const floods = unknownSenders(200, 100).map((one, nth) => ({ ...one, gatewayID: String(nth).padStart(16, '0') }));
    const shares = await run(floods);
    const perSecond = shares.reduce((sum, share) => sum + share * 100, 0);
    assert.ok(perSecond < 3700, `${perSecond} per second`);
  });

  it('count a long datagram as many frames', async () => {
    const [share] = await run(unknownSenders(1, 100, { bytes: 65_000 }));
    assert.ok(share! < 0.06, `${share}`);
  });

  it('accept little of senders that do not pull while the server is behind, the same of each', async () => {
    const [ofGateway, small, ...floods] = await run(
      [
        { ...gateway, perSecond: 100, sender: 'puller' as const },
        { address: '192.0.2.9', perSecond: 5 },
        ...unknownSenders(3, 2000),
      ],
      { isBehind: true },
    );
    assert.equal(ofGateway, 1);
    assert.ok(small! > 0.9, `${small} of the small sender`);
    for (const share of floods) assert.ok(share < 0.06, `${share}`);
  });

  it('limit a flood from the address of a gateway, but not the gateway, while the server is behind', async () => {
    const [ofGateway, flood] = await run(
      [
        { ...gateway, perSecond: 100, sender: 'puller' as const },
        { ...gateway, port: 2000, perSecond: 5000, sender: 'puller' as const },
      ],
      { capacity: 2000 },
    );
    assert.equal(ofGateway, 1);
    assert.ok(flood! < 0.55, `${flood} of the flood`);
  });

  it('limit a socket that does not pull at the address that pulls, and not the one that does', async () => {
    const [ofGateway, ofOther, flood] = await run([
      { ...gateway, perSecond: 4000, sender: 'puller' },
      { ...gateway, port: 2000, perSecond: 500, sender: 'neighbour' },
      { ...gateway, port: 3000, perSecond: 20_000, sender: 'neighbour' },
    ]);
    assert.deepEqual([ofGateway, ofOther], [1, 1]);
    assert.ok(flood! < 0.4, `${flood} of the flood`);
  });

  it('limit many sockets of one address when together they send too much', async () => {
    const flood = Array.from({ length: 100 }, (_, port) => ({
      address: '192.0.2.2',
      port,
      perSecond: 50,
      sender: 'puller' as const,
    }));
    const [ofGateway, ...others] = await run([{ ...gateway, perSecond: 100, sender: 'puller' as const }, ...flood], {
      capacity: 2000,
    });
    assert.ok(ofGateway! > 0.95, `${ofGateway} of the gateway`);
    assert.ok(Math.max(...others) < 0.75, `${Math.max(...others)} of the flood`);
  });

  it('drop nothing of sockets that send equally during a short pause of the server', async () => {
    const sockets = Array.from({ length: 20 }, (_, port) => ({
      ...gateway,
      port,
      perSecond: 400,
      sender: 'puller' as const,
    }));
    for (const share of await run(sockets, { pauseMs: 250 })) assert.equal(share, 1);
  });

  it('accept everything of gateways without a path in the first seconds after a start', async () => {
    const senders = Array.from({ length: 50 }, (_, nth) => ({
      address: `192.0.2.${nth}`,
      perSecond: 100,
      sender: 'without-path' as const,
    }));
    const shares = await run(senders, { afterStart: 0 });
    assert.ok(shares.every((share) => share === 1));
  });

  it('limit other senders for a gateway that pulls from the start', async () => {
    const [share] = await run(unknownSenders(1, 5000), { afterStart: 0 });
    assert.ok(share! < 0.3, `${share} of the flood`);
  });

  it('count all addresses of an IPv6 network as one', async () => {
    const network = Array.from({ length: 50 }, (_, nth) => ({
      address: `2001:db8::${nth + 1}:0:0:1`,
      perSecond: 100,
      gatewayID: String(nth).padStart(16, '0'),
    }));
    const shares = await run([...network, { address: '2001:db8:0:1::1', perSecond: 5, gatewayID: otherID }]);
    const perSecond = shares.slice(0, 50).reduce((sum, share) => sum + share * 100, 0);
    assert.ok(perSecond < 1300, `${perSecond} per second`);
    assert.equal(shares.at(-1), 1);
  });
});
