import type { Clock, GatewayPath, LinkKind, PathsElsewhere } from '@hilltop/network-server';
import { fromBinary, gw, toBinary } from '@hilltop/protobuf';
import type { Bus, GatewayPathOf } from '../bus/bus.ts';
import type { Metrics } from '../metrics.ts';

export interface RunningPathsElsewhere extends PathsElsewhere {
  /** `told`: what gateways say of downlinks that left here. Resolves when the paths of the others are known. */
  start(told: (ack: gw.DownlinkTXAck) => void): Promise<void>;
  /** Which instances are there now: what the others had is no way any more. */
  live(instanceIDs: readonly string[]): void;
  stop(): void;
}

/** A class A answer still reaches its first window when another gateway has to be tried after that. */
const sendWithinMs = 250;
const askWithinMs = 1000;
/** What got lost between instances is known again after this time. */
const askEveryMs = 10_000;
const rememberMs = 20_000;
/** A downlink that was so long under way belongs to a window that has closed. */
const mostLateMs = 1000;

/**
 * The ways to gateways over other instances, by what they tell each other: whoever hears a gateway's PULL_DATA, or holds
 * its connection, says so, and is sent what shall leave there.
 */
export function pathsElsewhere(needs: {
  bus: Bus;
  instanceID: string;
  clock: Clock;
  count: Metrics['count'];
}): RunningPathsElsewhere {
  const { bus, instanceID, clock, count } = needs;
  const there = new Map<string, { instanceID: string; path: GatewayPath }>();
  /** Also those that another instance has taken: it may send here what it cannot send itself. */
  const own = new Map<string, GatewayPath>();
  /** By downlink id: where what is with a gateway came from. */
  const origins = new Map<string, { from: string; until: number }>();
  const delays = createDelays(clock);
  const stops: (() => void)[] = [];
  let lost: (gatewayID: string) => void = () => undefined;
  let found: (gatewayID: string) => void = () => undefined;
  let cancelAsk: (() => void) | undefined;

  function pathOver(gatewayID: string, holder: string, told: NonNullable<GatewayPathOf['path']>): GatewayPath {
    const path: GatewayPath = {
      link: told.link as LinkKind,
      isProven: told.isProven,
      source: told.source,
      send(frame, unsent) {
        void handOver(holder, frame).then((isSent) => {
          if (isSent) return;
          count('downlinks_not_taken_elsewhere');
          if (there.get(gatewayID)?.path === path) there.delete(gatewayID);
          unsent?.();
        });
        return true;
      },
    };
    return path;
  }

  async function handOver(holder: string, frame: gw.DownlinkFrame): Promise<boolean> {
    const asked = { frame: toBinary(gw.DownlinkFrame, frame), from: instanceID, at: clock.monotonicMs() };
    return (await bus.ask(holder, 'downlink', asked, sendWithinMs))?.isSent ?? false;
  }

  function take({ frame: bytes, from, at }: { frame: Uint8Array; from: string; at: number }): boolean {
    if (delays.of(from, at) > mostLateMs) {
      count('downlinks_late_from_elsewhere');
      return false;
    }
    const frame = fromBinary(gw.DownlinkFrame, bytes);
    remember(frame.downlinkID.toHex(), from);
    return own.get(frame.gatewayID.toHex())?.send(frame) ?? false;
  }

  function remember(downlinkID: string, from: string): void {
    const now = clock.monotonicMs();
    for (const [id, { until }] of origins) {
      if (until > now) break;
      origins.delete(id);
    }
    origins.set(downlinkID, { from, until: now + rememberMs });
  }

  function note({ instanceID: holder, gatewayID, path }: GatewayPathOf): void {
    const mine = own.get(gatewayID);
    if (mine && isShared(mine)) return;
    if (path) {
      const isNew = !there.has(gatewayID);
      there.set(gatewayID, { instanceID: holder, path: pathOver(gatewayID, holder, path) });
      if (mine) lost(gatewayID);
      else if (isNew) found(gatewayID);
    } else if (there.get(gatewayID)?.instanceID === holder) there.delete(gatewayID);
  }

  const toldOf = (gatewayID: string, { link, isProven, source = '' }: GatewayPath): GatewayPathOf => ({
    instanceID,
    gatewayID,
    path: { link, isProven, source },
  });
  /** What this instance has, and nobody else. */
  const held = () =>
    Array.from(own).flatMap(([gatewayID, path]) => (there.has(gatewayID) ? [] : [toldOf(gatewayID, path)]));

  async function askAll(): Promise<void> {
    const asked = { from: instanceID, at: clock.monotonicMs() };
    for (const { instanceID: holder, paths } of await bus.askPeers('gateway-paths', asked, askWithinMs)) {
      const gatewayIDs = new Set(paths.map(({ gatewayID }) => gatewayID));
      for (const [gatewayID, one] of there)
        if (one.instanceID === holder && !gatewayIDs.has(gatewayID)) there.delete(gatewayID);
      // What this one has it would have heard of as taken; two that believe to have a gateway both send to it.
      for (const path of paths) if (!own.has(path.gatewayID) && !there.has(path.gatewayID)) note(path);
    }
    cancelAsk = clock.after(askEveryMs, () => void askAll());
  }

  return {
    of: (gatewayID) => there.get(gatewayID)?.path,
    opened(gatewayID, path) {
      there.delete(gatewayID);
      own.set(gatewayID, path);
      bus.publish('gateway-path', '', toldOf(gatewayID, path));
    },
    closed(gatewayID, path) {
      if (own.get(gatewayID) !== path) return;
      own.delete(gatewayID);
      if (!there.has(gatewayID)) bus.publish('gateway-path', '', { instanceID, gatewayID });
    },
    onTaken(listener) {
      lost = listener;
    },
    onOpened(listener) {
      found = listener;
    },
    answered(ack) {
      const origin = origins.get(ack.downlinkID.toHex());
      if (!origin) return false;
      origins.delete(ack.downlinkID.toHex());
      bus.publish('downlink-answer', origin.from, { ack: toBinary(gw.DownlinkTXAck, ack) });
      return true;
    },
    async start(told) {
      stops.push(
        await bus.subscribeToPeers('gateway-path', '', note),
        await bus.subscribeToPeers('downlink-answer', instanceID, ({ ack }) => told(fromBinary(gw.DownlinkTXAck, ack))),
        bus.answer('gateway-paths', ({ from, at }) => {
          delays.of(from, at);
          return { instanceID, paths: held() };
        }),
        bus.answer('downlink', (asked) => ({ isSent: take(asked) })),
      );
      await askAll();
    },
    live(instanceIDs) {
      for (const [gatewayID, one] of there) if (!instanceIDs.includes(one.instanceID)) there.delete(gatewayID);
      delays.keep(instanceIDs);
    },
    stop() {
      cancelAsk?.();
      for (const stop of stops) stop();
    },
  };
}

/** Gateways behind a broker elsewhere are reached by every instance that is connected to it. */
function isShared({ link, isProven }: GatewayPath): boolean {
  return link === 'mqtt' && !isProven;
}

/** Clocks of two machines drift apart by less than this share. */
const mostDrift = 0.001;

/** How much longer messages of each instance were under way than its quickest, whatever their clocks say. */
function createDelays(clock: Clock) {
  const quickest = new Map<string, { between: number; noted: number }>();
  return {
    of(from: string, at: number): number {
      const now = clock.monotonicMs();
      const between = now - at;
      const known = quickest.get(from);
      const expected = known ? known.between + (now - known.noted) * mostDrift : between;
      if (between <= expected) quickest.set(from, { between, noted: now });
      return Math.max(between - expected, 0);
    },
    keep(instanceIDs: readonly string[]): void {
      for (const id of quickest.keys()) if (!instanceIDs.includes(id)) quickest.delete(id);
    },
  };
}
