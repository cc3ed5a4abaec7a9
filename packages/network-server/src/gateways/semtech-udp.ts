/**
 * The Semtech UDP packet forwarder protocol on one socket for all regions. A gateway gets the acknowledgement when its
 * uplinks, and the report in the same datagram, are stored; an unknown gateway gets its answer from the header alone and
 * costs no parsing; broken datagrams are counted and dropped.
 */
import type { RemoteInfo } from 'node:dgram';
import {
  decodeHeader,
  decodePacket,
  encodePacket,
  type Header,
  PacketError,
  type PushData,
  statsOf,
  type TxAck,
  txpkOf,
  uplinksOf,
} from '@hilltop/gateway-protocols';
import type { gw } from '@hilltop/protobuf';
import { createDatagramBacklog } from './datagram-backlog.ts';
import { createDatagramLimits, type DatagramSender } from './datagram-limits.ts';
import { DatagramSocket } from './datagram-socket.ts';
import { createExchange, type Exchange } from './exchange.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import type { GatewayPath } from './paths.ts';
import { createPullPaths } from './pull-paths.ts';
import { SemtechDownlinks } from './semtech-downlinks.ts';

export interface SemtechUdp extends Link {
  address: { host: string; port: number };
}

type SemtechUdpNeeds = LinkNeeds & { host: string; port: number; mostWaitingBytes?: number };
type GatewayHeader = Header & { gatewayID: string };

const sweepEveryMs = 10_000;
/** Semtech UDP has no authentication. */
const speaker = { link: 'semtech-udp', isProven: false } as const;

/** Listens; rejects when the address is not available. `port` 0 picks one, see `address`. */
export async function startSemtechUdp(needs: SemtechUdpNeeds): Promise<SemtechUdp> {
  const link = new SemtechUdpLink(needs);
  await link.start();
  return link;
}

class SemtechUdpLink implements SemtechUdp {
  readonly #needs: SemtechUdpNeeds;
  readonly #exchange: Exchange;
  readonly #socket: DatagramSocket;
  readonly #paths: ReturnType<typeof createPullPaths>;
  readonly #downlinks: SemtechDownlinks;
  readonly #backlog: ReturnType<typeof createDatagramBacklog>;
  readonly #limits: ReturnType<typeof createDatagramLimits>;
  /** Refused PULL_DATA by gateway since its last report; only of gateways that have a path. */
  readonly #refusedPulls = new Map<string, { address: string; times: number }>();
  readonly #opened = new Map<string, GatewayPath>();
  /** The bytes of datagrams whose gateway is looked up, or whose uplinks are being stored. */
  #waitingBytes = 0;
  #cancelSweep: () => void = () => undefined;

  constructor(needs: SemtechUdpNeeds) {
    const { clock, count, mostGateways = 50_000 } = needs;
    this.#needs = needs;
    this.#exchange = createExchange(needs);
    this.#socket = new DatagramSocket(needs.host, (error, address) => {
      count('gateway_answers_failed');
      this.#exchange.warn('send', { err: error, address }, 'A datagram could not be sent.');
    });
    this.#paths = createPullPaths(clock, mostGateways, (gatewayID) => this.#pathLost(gatewayID));
    this.#downlinks = new SemtechDownlinks({
      clock,
      transmit: (gatewayID, token, item) => this.#transmit(gatewayID, token, item),
      answered: (gatewayID, status) => this.#exchange.noteStatus(gatewayID, status),
      finished: (gatewayID, ack) => this.#downlinkFinished(gatewayID, ack),
    });
    this.#backlog = createDatagramBacklog({
      clock,
      acceptedBytes: () => this.#waitingBytes,
      readQueue: () => this.#socket.readKernelQueue(),
    });
    this.#limits = createDatagramLimits(clock, () => this.#backlog.isBehind() || needs.isBehind?.() === true);
  }

  get address(): { host: string; port: number } {
    return this.#socket.address;
  }

  async start(): Promise<void> {
    this.#socket.onMessage((bytes, from) => {
      try {
        this.#dispatch(bytes, from);
      } catch (error) {
        this.#drop(error instanceof PacketError ? error.fault : 'unexpected', from, error);
      }
    });
    await this.#socket.bind(this.#needs.port, this.#needs.host, this.#needs);
    this.#sweepLater();
  }

  async stop(): Promise<void> {
    this.#cancelSweep();
    for (const [gatewayID, path] of this.#opened) this.#needs.gateways.close(gatewayID, path);
    await this.#socket.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #dispatch(bytes: Uint8Array, from: RemoteInfo): void {
    this.#backlog.note();
    const header = decodeHeader(bytes);
    if (!('gatewayID' in header)) return this.#needs.count('gateway_datagrams_dropped', { fault: 'direction' });
    const { gatewayID } = header;
    const isFromPuller = this.#paths.of(gatewayID)?.address === from.address;
    if (header.type === 'TX_ACK' && !isFromPuller) return this.#refuseForeignAck(gatewayID, from);
    if (this.#isOverLimit(gatewayID, bytes, from)) return;
    if (header.type === 'PUSH_DATA') this.#push(header, bytes, from);
    else if (header.type === 'PULL_DATA') this.#pull(header, from);
    else if (header.type === 'TX_ACK') {
      const packet = decodePacket(bytes);
      if (packet.type === 'TX_ACK') this.#acknowledge(packet, from);
    }
  }

  #isOverLimit(gatewayID: string, bytes: Uint8Array, from: RemoteInfo): boolean {
    const fault = this.#limits.refusal(from, gatewayID, bytes.length, this.#senderOf(gatewayID, from));
    if (fault === null) return false;
    this.#needs.count('gateway_datagrams_dropped', { fault });
    const { address } = from;
    this.#exchange.warn(fault, { gatewayID, address }, 'Datagrams are dropped: an address sends too many.');
    return true;
  }

  #senderOf(gatewayID: string, { address, port }: RemoteInfo): DatagramSender {
    const path = this.#needs.gateways.of(gatewayID);
    if (!path) return 'without-path';
    if (path.source !== address) return 'stranger';
    return this.#paths.of(gatewayID)?.port === port ? 'puller' : 'neighbour';
  }

  #push(header: GatewayHeader, bytes: Uint8Array, from: RemoteInfo): void {
    const { mostWaitingBytes = 64 * 1024 * 1024 } = this.#needs;
    if (this.#waitingBytes + bytes.length > mostWaitingBytes)
      return this.#drop('full', from, 'too much waits for the storage');
    this.#waitingBytes += bytes.length;
    this.#receive(header, bytes, from)
      .catch((error: unknown) => this.#drop(error instanceof PacketError ? error.fault : 'not-taken', from, error))
      .finally(() => {
        this.#waitingBytes -= bytes.length;
        this.#limits.done(bytes.length);
      });
  }

  async #receive(header: GatewayHeader, bytes: Uint8Array, from: RemoteInfo): Promise<void> {
    const { gatewayID, version, token } = header;
    const { count } = this.#needs;
    const network = await this.#exchange.networkOf(gatewayID, from.address);
    const ack = { type: 'PUSH_ACK', version, token } as const;
    if (!network) {
      count('gateway_datagrams_dropped', { fault: 'unknown-gateway' });
      return this.#answer(ack, from);
    }
    const packet = decodePacket(bytes);
    if (packet.type !== 'PUSH_DATA') return;
    this.#exchange.noteSign(gatewayID, speaker);
    const { frames, badCRC, withoutCRC, unreadable, broken } = uplinksOf(packet);
    if (badCRC + withoutCRC > 0) count('gateway_uplinks_without_crc', {}, badCRC + withoutCRC);
    this.#exchange.receiveUnreadable(gatewayID, speaker, network, unreadable);
    for (const error of broken) this.#drop(error.fault, from, error);
    if (frames.length > 0) await this.#exchange.receive(gatewayID, speaker, network, frames);
    await this.#report(network, packet, from);
    this.#answer(ack, from);
  }

  async #report(network: GatewayNetwork, packet: PushData, from: RemoteInfo): Promise<void> {
    try {
      const stats = statsOf(packet);
      if (!stats) return;
      const metaData = { ...stats.metaData, ...this.#takeRefusedPulls(packet.gatewayID), link: 'semtech-udp' };
      await this.#exchange.report(packet.gatewayID, speaker, network, { ...stats, metaData, ip: from.address });
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      this.#drop(error.fault, from, error);
    }
  }

  /** The console shows it with the gateway until the next report. */
  #takeRefusedPulls(gatewayID: string): Record<string, string> {
    const refused = this.#refusedPulls.get(gatewayID);
    this.#refusedPulls.delete(gatewayID);
    return refused ? { pullsRefused: `${refused.times} from ${refused.address}` } : {};
  }

  #pull({ gatewayID, version, token }: GatewayHeader, from: RemoteInfo): void {
    const { count, log } = this.#needs;
    const { address, port } = from;
    this.#answer({ type: 'PULL_ACK', version, token }, from);
    const updatePath = async (network: GatewayNetwork): Promise<void> => {
      const outcome = this.#paths.pull(gatewayID, { address, port, version });
      if (outcome === 'full') return count('gateway_paths_full');
      if (outcome === 'held' || !this.#open(gatewayID, outcome === 'new')) return this.#refusePull(gatewayID, from);
      if (outcome === 'moved') this.#noteMove(gatewayID, from);
      if (outcome === 'new') log.info({ gatewayID, address, port }, 'The gateway pulls.');
      this.#exchange.noteSign(gatewayID, speaker);
      await network.gatewaySeen(gatewayID);
    };
    // A gateway that was removed gets no more downlinks.
    this.#exchange.follow({ gatewayID, address }, updatePath, () => this.#paths.drop(gatewayID));
  }

  /**
   * Called with each PULL_DATA, because another link may have had the gateway until now. Another address is another
   * path.
   */
  #open(gatewayID: string, isNew: boolean): boolean {
    const { gateways } = this.#needs;
    const path = (!isNew && this.#opened.get(gatewayID)) || this.#pathTo(gatewayID);
    this.#opened.set(gatewayID, path);
    return gateways.of(gatewayID) === path || gateways.open(gatewayID, path);
  }

  #pathTo(gatewayID: string): GatewayPath {
    const paths = this.#paths;
    return {
      ...speaker,
      get source() {
        return paths.of(gatewayID)?.address;
      },
      isSilent: () => paths.isSilent(gatewayID),
      send: (frame) => {
        const pulled = paths.of(gatewayID);
        return pulled !== null && this.#downlinks.send(gatewayID, pulled.version, frame);
      },
    };
  }

  #pathLost(gatewayID: string): void {
    const { gateways, log } = this.#needs;
    const path = this.#opened.get(gatewayID);
    if (path) gateways.close(gatewayID, path);
    this.#opened.delete(gatewayID);
    this.#refusedPulls.delete(gatewayID);
    log.info({ gatewayID }, 'The gateway is gone: it was removed, or sent no PULL_DATA for 60 s.');
  }

  #refusePull(gatewayID: string, { address }: RemoteInfo): void {
    this.#needs.count('gateway_path_held');
    const before = this.#refusedPulls.get(gatewayID);
    this.#refusedPulls.set(gatewayID, { address, times: (before?.times ?? 0) + 1 });
    const text = 'Another address pulls for a connected gateway.';
    this.#exchange.warn(`held/${gatewayID}`, { gatewayID, address }, text);
  }

  /**
   * Routers give gateways new ports, but another program at the address could take over the downlinks in the same way.
   */
  #noteMove(gatewayID: string, { address, port }: RemoteInfo): void {
    this.#needs.count('gateway_path_moved');
    const text = 'The downlinks of a gateway go to another port of its address.';
    this.#exchange.warn(`moved/${gatewayID}`, { gatewayID, address, port }, text);
  }

  /** Sends an item to the gateway. Returns its address; null when the gateway has no path. */
  #transmit(gatewayID: string, token: number, item: gw.DownlinkFrameItem): string | null {
    const path = this.#paths.of(gatewayID);
    if (!path) return null;
    const { version } = path;
    if (version === 2) this.#paths.expectConfirmation(gatewayID);
    this.#exchange.noteSent(gatewayID, item);
    this.#answer({ type: 'PULL_RESP', version, token: version === 2 ? token : 0, txpk: txpkOf(item) }, path);
    return path.address;
  }

  /** Accepts only the address that has the path of the gateway, because a token of 16 bits can be guessed. */
  #acknowledge(packet: TxAck, from: RemoteInfo): void {
    const outcome = this.#downlinks.acknowledge(packet, from.address);
    if (outcome === 'accepted') this.#paths.confirmed(packet.gatewayID);
    else if (outcome === 'foreign') this.#refuseForeignAck(packet.gatewayID, from);
    else this.#needs.count('gateway_acks_unknown');
  }

  #refuseForeignAck(gatewayID: string, { address }: RemoteInfo): void {
    this.#needs.count('gateway_acks_foreign');
    const text = 'An address that does not pull reports on a downlink.';
    // Only gateways that have a path get lines of their own: strangers can invent any number of IDs.
    const kind = this.#paths.of(gatewayID) ? `foreign/${gatewayID}` : 'foreign';
    this.#exchange.warn(kind, { gatewayID, address }, text);
  }

  #downlinkFinished(gatewayID: string, ack: gw.DownlinkTXAck): void {
    const path = this.#opened.get(gatewayID);
    if (path) this.#exchange.handleResult(gatewayID, path, ack);
  }

  #answer(packet: Parameters<typeof encodePacket>[0], to: { address: string; port: number }): void {
    this.#socket.send(encodePacket(packet), to);
  }

  #drop(fault: string, { address, port }: RemoteInfo, error: unknown): void {
    this.#needs.count('gateway_datagrams_dropped', { fault });
    this.#exchange.warn(fault, { address, port, reason: String(error) }, 'A datagram was dropped.');
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#needs.clock.after(sweepEveryMs, () => {
      this.#paths.sweep();
      void this.#noteKernelDrops();
      this.#sweepLater();
    });
  }

  async #noteKernelDrops(): Promise<void> {
    const drops = await this.#socket.newKernelDrops();
    if (drops === 0) return;
    this.#needs.count('gateway_datagrams_dropped', { fault: 'kernel' }, drops);
    const text = 'Datagrams came faster than the server read them. If they are many, raise net.core.rmem_max.';
    this.#exchange.warn('kernel', { drops }, text);
  }
}
