import type { Clock, GatewayPath, LinkKind, PeerGatewayPaths } from '@hilltop/network-server';
import { fromBinary, gw, toBinary } from '@hilltop/protobuf';
import type { Bus, GatewayPathOf } from '../bus/bus.ts';
import type { Metrics } from '../metrics.ts';

export interface RunningPeerGatewayPaths extends PeerGatewayPaths {
  /**
   * `onAck` receives the TX acknowledgements that gateways of peers send for downlinks of this instance. Resolves when
   * the paths of the peers are known.
   */
  start(onAck: (ack: gw.DownlinkTXAck) => void): Promise<void>;
  /** Sets the live instances: paths over others are removed. */
  live(instanceIDs: readonly string[]): void;
  stop(): void;
}

/** After this time, a class A downlink can still be sent by another gateway for the first window. */
const sendWithinMs = 250;
const askWithinMs = 1000;
/** Paths whose messages were lost are known after this time. */
const askEveryMs = 10_000;
const rememberMs = 20_000;
/** The receive window has passed when a downlink takes longer between instances. */
const maxDelayMs = 1000;

interface PeerGatewayPathsDependencies {
  bus: Bus;
  instanceID: string;
  clock: Clock;
  count: Metrics['count'];
}

/**
 * Paths to gateways over peers. The instance that receives the PULL_DATA of a gateway, or has its connection, publishes
 * that, and peers send it their downlinks for the gateway.
 */
export function createPeerGatewayPaths(needs: PeerGatewayPathsDependencies): RunningPeerGatewayPaths {
  return new BusGatewayPaths(needs);
}

class BusGatewayPaths implements RunningPeerGatewayPaths {
  readonly #needs: PeerGatewayPathsDependencies;
  readonly #paths = new Map<string, { instanceID: string; path: GatewayPath }>();
  /**
   * Paths of this instance, including gateways that a peer took over: it may pass on downlinks that it cannot send
   * itself.
   */
  readonly #own = new Map<string, GatewayPath>();
  readonly #origins: DownlinkOrigins;
  readonly #delays: ReturnType<typeof createDelays>;
  readonly #stops: (() => void)[] = [];
  #onTaken: (gatewayID: string) => void = () => undefined;
  #onOpened: (gatewayID: string) => void = () => undefined;
  #cancelAsk: (() => void) | undefined;

  constructor(needs: PeerGatewayPathsDependencies) {
    this.#needs = needs;
    this.#origins = new DownlinkOrigins(needs.clock);
    this.#delays = createDelays(needs.clock);
  }

  async start(onAck: (ack: gw.DownlinkTXAck) => void): Promise<void> {
    const { bus, instanceID } = this.#needs;
    this.#stops.push(
      await bus.subscribeToPeers('gateway-path', '', (path) => this.#note(path)),
      await bus.subscribeToPeers('downlink-answer', instanceID, ({ ack }) => onAck(fromBinary(gw.DownlinkTXAck, ack))),
      bus.answer('gateway-paths', ({ from, at }) => {
        this.#delays.of(from, at);
        return { instanceID, paths: this.#pathsWithoutPeer() };
      }),
      bus.answer('downlink', (asked) => ({ isSent: this.#sendFromPeer(asked) })),
    );
    await this.#askPeers();
  }

  of(gatewayID: string): GatewayPath | undefined {
    return this.#paths.get(gatewayID)?.path;
  }

  opened(gatewayID: string, path: GatewayPath): void {
    this.#paths.delete(gatewayID);
    this.#own.set(gatewayID, path);
    this.#needs.bus.publish('gateway-path', '', messageOf(this.#needs.instanceID, gatewayID, path));
  }

  closed(gatewayID: string, path: GatewayPath): void {
    if (this.#own.get(gatewayID) !== path) return;
    this.#own.delete(gatewayID);
    if (!this.#paths.has(gatewayID))
      this.#needs.bus.publish('gateway-path', '', { instanceID: this.#needs.instanceID, gatewayID });
  }

  onTaken(listener: (gatewayID: string) => void): void {
    this.#onTaken = listener;
  }

  onOpened(listener: (gatewayID: string) => void): void {
    this.#onOpened = listener;
  }

  answered(ack: gw.DownlinkTXAck): boolean {
    const origin = this.#origins.take(ack.downlinkID.toHex());
    if (origin === undefined) return false;
    this.#needs.bus.publish('downlink-answer', origin, { ack: toBinary(gw.DownlinkTXAck, ack) });
    return true;
  }

  live(instanceIDs: readonly string[]): void {
    for (const [gatewayID, known] of this.#paths)
      if (!instanceIDs.includes(known.instanceID)) this.#paths.delete(gatewayID);
    this.#delays.keep(instanceIDs);
  }

  stop(): void {
    this.#cancelAsk?.();
    for (const stop of this.#stops) stop();
  }

  #pathOver(gatewayID: string, holder: string, published: PublishedPath): GatewayPath {
    const { bus, instanceID, clock, count } = this.#needs;
    const path: GatewayPath = {
      link: published.link as LinkKind,
      isProven: published.isProven,
      source: published.source,
      send: (frame, unsent) => {
        void sendOver(bus, holder, { from: instanceID, at: clock.monotonicMs() }, frame).then((isSent) => {
          if (isSent) return;
          count('downlinks_not_taken_elsewhere');
          if (this.#paths.get(gatewayID)?.path === path) this.#paths.delete(gatewayID);
          unsent?.();
        });
        return true;
      },
    };
    return path;
  }

  #sendFromPeer({ frame: bytes, from, at }: { frame: Uint8Array; from: string; at: number }): boolean {
    if (this.#delays.of(from, at) > maxDelayMs) {
      this.#needs.count('downlinks_late_from_elsewhere');
      return false;
    }
    const frame = fromBinary(gw.DownlinkFrame, bytes);
    this.#origins.add(frame.downlinkID.toHex(), from);
    return this.#own.get(frame.gatewayID.toHex())?.send(frame) ?? false;
  }

  #note({ instanceID: holder, gatewayID, path }: GatewayPathOf): void {
    const ownPath = this.#own.get(gatewayID);
    if (ownPath && isShared(ownPath)) return;
    if (path) {
      const isNew = !this.#paths.has(gatewayID);
      this.#paths.set(gatewayID, { instanceID: holder, path: this.#pathOver(gatewayID, holder, path) });
      if (ownPath) this.#onTaken(gatewayID);
      else if (isNew) this.#onOpened(gatewayID);
    } else if (this.#paths.get(gatewayID)?.instanceID === holder) this.#paths.delete(gatewayID);
  }

  /** Paths of this instance that no peer has taken over. */
  #pathsWithoutPeer(): GatewayPathOf[] {
    return Array.from(this.#own).flatMap(([gatewayID, path]) =>
      this.#paths.has(gatewayID) ? [] : [messageOf(this.#needs.instanceID, gatewayID, path)],
    );
  }

  async #askPeers(): Promise<void> {
    const { bus, instanceID, clock } = this.#needs;
    const asked = { from: instanceID, at: clock.monotonicMs() };
    for (const { instanceID: holder, paths: theirs } of await bus.askPeers('gateway-paths', asked, askWithinMs)) {
      const gatewayIDs = new Set(theirs.map(({ gatewayID }) => gatewayID));
      for (const [gatewayID, known] of this.#paths)
        if (known.instanceID === holder && !gatewayIDs.has(gatewayID)) this.#paths.delete(gatewayID);
      // When a peer took a gateway over, this was published before. Two instances that both have a path send to each
      // other.
      for (const path of theirs)
        if (!this.#own.has(path.gatewayID) && !this.#paths.has(path.gatewayID)) this.#note(path);
    }
    this.#cancelAsk = clock.after(askEveryMs, () => void this.#askPeers());
  }
}

function messageOf(instanceID: string, gatewayID: string, { link, isProven, source = '' }: GatewayPath): GatewayPathOf {
  return { instanceID, gatewayID, path: { link, isProven, source } };
}

type PublishedPath = NonNullable<GatewayPathOf['path']>;

/** Whether the peer has sent the frame to its gateway. False also when it did not answer in time. */
async function sendOver(
  bus: Pick<Bus, 'ask'>,
  holder: string,
  sender: { from: string; at: number },
  frame: gw.DownlinkFrame,
): Promise<boolean> {
  const question = { frame: toBinary(gw.DownlinkFrame, frame), ...sender };
  return (await bus.ask(holder, 'downlink', question, sendWithinMs))?.isSent ?? false;
}

/** The sending instances by downlink id, for downlinks that a gateway has not acknowledged yet. */
class DownlinkOrigins {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #origins = new Map<string, { from: string; until: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  add(downlinkID: string, from: string): void {
    const now = this.#clock.monotonicMs();
    for (const [id, { until }] of this.#origins) {
      if (until > now) break;
      this.#origins.delete(id);
    }
    this.#origins.set(downlinkID, { from, until: now + rememberMs });
  }

  take(downlinkID: string): string | undefined {
    const origin = this.#origins.get(downlinkID);
    this.#origins.delete(downlinkID);
    return origin?.from;
  }
}

/** Whether the gateway is behind an external broker: every connected instance reaches it. */
function isShared({ link, isProven }: GatewayPath): boolean {
  return link === 'mqtt' && !isProven;
}

/** The clocks of two machines drift apart by less than this factor. */
const maxDrift = 0.001;

/** How much longer messages of each instance take than its fastest one, independent of the clocks. */
function createDelays(clock: Clock) {
  const quickest = new Map<string, { between: number; noted: number }>();
  return {
    of(from: string, at: number): number {
      const now = clock.monotonicMs();
      const between = now - at;
      const known = quickest.get(from);
      const expected = known ? known.between + (now - known.noted) * maxDrift : between;
      if (between <= expected) quickest.set(from, { between, noted: now });
      return Math.max(between - expected, 0);
    },
    keep(instanceIDs: readonly string[]): void {
      for (const id of quickest.keys()) if (!instanceIDs.includes(id)) quickest.delete(id);
    },
  };
}
