import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FrameLogEntry } from '@hilltop/network-server';
import { create, ns } from '@hilltop/protobuf';
import type { Bus } from '../bus/bus.ts';
import { type LoggedFrame, packFrame, unpackFrame } from '../bus/frames.ts';
import { inProcessBus } from '../bus/in-process.ts';
import { createPeerFrameLogs } from './peer-frame-logs.ts';

const key = '0a00000000000001';

/** A frame with this time in seconds, which identifies it. */
function frame(second: number): FrameLogEntry {
  const uplinkFrameSet = { phyPayload: Uint8Array.of(second), publishedAt: new Date(second * 1_000) };
  return create(ns.StreamFrameLogsForGatewayResponse, { uplinkFrameSet });
}

const secondsOf = (entries: readonly FrameLogEntry[]) =>
  entries.map(({ uplinkFrameSet }) => uplinkFrameSet!.publishedAt!.getTime() / 1_000);

const there = (number: number, second: number): LoggedFrame => ({ instanceID: 'there', number, entry: frame(second) });

interface PeerOfTest {
  stored: LoggedFrame[];
  meanwhile?: LoggedFrame[];
  /** It knows only the former name of the question. */
  isOlder?: boolean;
}

/** The bus of an instance whose peer has the frames `stored` and publishes `meanwhile` during the question. */
function busWith({ stored, meanwhile = [], isOlder = false }: PeerOfTest) {
  let tell: (frame: LoggedFrame) => void = () => undefined;
  const bus: Bus = {
    ...inProcessBus((error) => assert.fail(String(error))),
    subscribeToPeers: async (_topic, _key, listener) => {
      tell = listener as (frame: object) => void;
      return () => undefined;
    },
    askPeers: async (question) => {
      meanwhile.forEach(tell);
      return (isOlder && question !== 'kept-frames' ? [] : [stored.map(packFrame)]) as never;
    },
  };
  return { bus, tell: (logged: LoggedFrame) => tell(logged) };
}

describe('frames of other instances', () => {
  it('appear in the order of time among those of this instance, each once although also published', async () => {
    const { bus, tell } = busWith({ stored: [there(1, 10), there(2, 30)], meanwhile: [there(2, 30), there(3, 40)] });
    const log = createPeerFrameLogs({ bus, instanceID: 'here' }).of(1).ofGateways;
    const received: FrameLogEntry[] = [];
    const { stored } = await log.follow(key, [frame(20)], (entry) => received.push(entry));
    assert.deepEqual(secondsOf(stored), [10, 20, 30, 40]);
    tell(there(3, 40));
    tell(there(4, 50));
    // An instance that has restarted numbers its frames from 1.
    tell({ ...there(1, 60), instanceID: 'another' });
    assert.deepEqual(secondsOf(received), [50, 60]);
  });

  it('of an older release appear as well', async () => {
    const { bus } = busWith({ stored: [there(1, 10)], isOlder: true });
    const log = createPeerFrameLogs({ bus, instanceID: 'here' }).of(1).ofGateways;
    const { stored } = await log.follow(key, [frame(20)], () => undefined);
    assert.deepEqual(secondsOf(stored), [10, 20]);
  });

  it('are answered from the requested log, with the remarks of each frame', async () => {
    const bus = inProcessBus((error) => assert.fail(String(error)));
    const frames = createPeerFrameLogs({ bus, instanceID: 'here' });
    const [gateways, devices] = [frames.of(1).ofGateways, frames.of(1).ofDevices];
    const added: FrameLogEntry = { ...frame(10), relays: [key] };
    gateways.share((asked) => (asked === key ? [added] : []));
    devices.share(() => []);
    gateways.added(key, added);
    const ask = (log: string) => bus.ask('here', 'stored-frames', { log }, 1_000);
    const [answered] = (await ask(`1 gateway ${key}`))!;
    const { entry, ...rest } = unpackFrame(answered!);
    assert.deepEqual([entry.relays, secondsOf([entry]), rest], [[key], [10], { instanceID: 'here', number: 1 }]);
    const asOlder = await bus.ask('here', 'kept-frames', { log: `1 gateway ${key}` }, 1_000);
    assert.deepEqual(asOlder, [answered]);
    for (const other of [`1 device ${key}`, `2 gateway ${key}`, '1 gateway 0b', ''])
      assert.deepEqual(await ask(other), []);
    frames.forget(1);
    assert.deepEqual(await ask(`1 gateway ${key}`), []);
  });
});
