import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeFrame, gpsTimeOf } from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { Device } from '@hilltop/simulator';
import { createRig, devEUI, type Fate, type Rig, type RigOptions, understood } from './rig.ts';

type OpenState = NonNullable<RigOptions['openState']>;

const classes = {
  A: { deviceProfile: {}, device: {} },
  B: {
    deviceProfile: { supportsClassB: true, classBTimeout: 20, pingSlotDr: 3 },
    device: { classB: { periodicity: 0 } },
  },
  C: { deviceProfile: { supportsClassC: true, classCTimeout: 20 }, device: {} },
};
const texts = ['one', 'two', 'three'];
/** Queued after the third: the device has to acknowledge it. */
const confirmed = 'two';

/**
 * Registers for each class a test of a server that sends three downlinks, killed before or after each of its writes:
 * everything arrives, and no counter ever has two contents. Each run gets its own state.
 */
export function describeKills(name: string, stateOfRun: () => OpenState | undefined, { every = 1 } = {}): void {
  describe(`killed between any two steps, ${name}`, () => {
    for (const letter of ['A', 'B', 'C'] as const) {
      it(`class ${letter} loses no downlink and sends none with another content`, async () => {
        const steps = await run(letter, stateOfRun(), null);
        assert.ok(steps > 8, `only ${steps} writes`);
        for (let at = 1; at <= steps; at += every)
          for (const fate of ['dies before', 'dies after'] as const) await run(letter, stateOfRun(), { at, fate });
      });
    }
  });
}

/** Answers the number of writes. */
async function run(
  letter: keyof typeof classes,
  openState: OpenState | undefined,
  death: { at: number; fate: Fate } | null,
) {
  const { deviceProfile, device: options } = classes[letter];
  const rig = await createRig({ deviceProfile, ...(openState && { openState }) });
  const device = await rig.joined(options);
  for (let uplinks = 0; uplinks < 2; uplinks++) {
    const answer = await rig.exchange(device.uplink({ fPort: 1 }));
    if (answer) understood(device, answer);
    await rig.clock.advance(10_000);
  }
  const before = rig.sent.length;
  let writes = 0;
  rig.decideFates(() => {
    writes += 1;
    return writes === death?.at ? death.fate : 'lives';
  });

  for (const text of texts) await enqueue(rig, text);
  const received = await live(rig, device, before, letter === 'A');
  const what = `class ${letter}, ${death ? `write ${death.at} of a server that ${death.fate}` : 'nobody dies'}`;
  assert.deepEqual(
    texts.filter((text) => !received.includes(text)),
    [],
    `${what}: some were not heard`,
  );
  assert.deepEqual(await rig.state.queue(devEUI), [], `${what}: some are still queued`);
  assert.equal(await rig.state.nextDueAt(), null, `${what}: something is still due`);
  const acks = rig.events().filter((event) => /^ack \d+ true$/.test(event));
  assert.equal(acks.length, 1, `${what}: ${acks.length} acknowledgements`);
  for (const [counter, contents] of contentsByCounter(rig.sent)) assert.equal(contents.size, 1, `${what}: ${counter}`);
  return writes;
}

/** A client without an answer enqueues again, if the item is missing. */
async function enqueue(rig: Rig, text: string): Promise<void> {
  const before = (await rig.state.queue(devEUI)).length;
  if (await rig.survives(rig.enqueue(text, { confirmed: text === confirmed }))) return;
  await rig.restart();
  if ((await rig.state.queue(devEUI)).length === before) await enqueue(rig, text);
}

/**
 * At most two minutes of a device that listens as its class does. Only one that `asks` sends by itself; the others send
 * only to acknowledge, so that no uplink makes the server check its queue. A killed server is restarted.
 */
async function live(rig: Rig, device: Device, from: number, asks: boolean): Promise<string[]> {
  const received: string[] = [];
  let seen = from;
  for (let second = 0; second < 120; second++) {
    if (second % 10 === 9) {
      if (await isOver(rig, received)) break;
      if (asks || isAsked(device)) await alive(rig, rig.receiveFrame(device.uplink({ fPort: 1 })));
    }
    for (let part = 0; part < 4; part++) {
      await rig.clock.advance(250);
      if (rig.isDead()) await rig.restart();
      for (; seen < rig.sent.length; seen++) {
        const frame = rig.sent[seen]!;
        if (listens(rig, device, frame)) received.push(textOf(device, frame));
        await alive(rig, rig.acknowledge(frame));
      }
    }
  }
  return received;
}

function isAsked({ session }: Device): boolean {
  return session !== null && session.toAcknowledge !== null;
}

async function isOver(rig: Rig, received: readonly string[]): Promise<boolean> {
  if (!texts.every((text) => received.includes(text)) || (await rig.state.nextDueAt()) !== null) return false;
  return (await rig.state.queue(devEUI)).length === 0;
}

async function alive(rig: Rig, work: Promise<unknown>): Promise<void> {
  if (!(await rig.survives(work))) await rig.restart();
}

function listens(rig: Rig, device: Device, { items }: gw.DownlinkFrame): boolean {
  const slot = items[0]?.txInfo?.gpsEpochTimingInfo?.timeSinceGPSEpoch;
  if (typeof slot !== 'number') return true;
  assert.ok(slot > gpsTimeOf(rig.clock.now()) - 1000, 'a frame came after its slot');
  return device.pingSlotAt(slot) !== null;
}

function textOf(device: Device, frame: gw.DownlinkFrame): string {
  const received = understood(device, frame);
  return received && 'text' in received ? received.text : '';
}

/** The contents that were sent with each counter of each session. */
export function contentsByCounter(sent: readonly gw.DownlinkFrame[], version = '1.0'): Map<string, Set<string>> {
  const contents = new Map<string, Set<string>>();
  for (const { phyPayload } of sent.flatMap(({ items }) => items)) {
    const frame = decodeFrame(phyPayload);
    if (frame.mType !== 'UnconfirmedDataDown' && frame.mType !== 'ConfirmedDataDown') continue;
    const kind = version.startsWith('1.1') && (frame.fPort ?? 0) > 0 ? 'AFCntDown' : 'NFCntDown';
    const counter = `${frame.devAddr} ${kind} ${frame.fCnt}`;
    contents.set(counter, (contents.get(counter) ?? new Set()).add(phyPayload.toHex()));
  }
  return contents;
}
