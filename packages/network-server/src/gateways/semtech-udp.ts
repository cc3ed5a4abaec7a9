/**
 * The Semtech UDP packet forwarder protocol on one socket for all regions. A gateway is told that its uplinks arrived
 * only when they are on disk; a stranger is answered by the header alone and costs no parsing; broken datagrams are
 * counted and dropped.
 */
import { createSocket, type RemoteInfo, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
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
import { createDatagramBacklog } from './datagram-backlog.ts';
import { createDatagramLimits, type Sender } from './datagram-limits.ts';
import { createExchange } from './exchange.ts';
import { readKernelQueue } from './kernel-queue.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import type { GatewayPath } from './paths.ts';
import { createPullPaths } from './pull-paths.ts';
import { createSemtechDownlinks } from './semtech-downlinks.ts';

export interface SemtechUdp extends Link {
  address: { host: string; port: number };
}

const receiveBufferBytes = 8 * 1024 * 1024;
const sweepEveryMs = 10_000;
/** Node would look up each address that is answered. Only the name to listen at has to be. */
const lookUpNames: NonNullable<SocketOptions['lookup']> = (host, options, answer) => {
  const family = isIP(host);
  if (family === 0) lookup(host, options, answer);
  else answer(null, host, family);
};
/** Semtech UDP knows no proof. */
const speaker = { link: 'semtech-udp', isProven: false } as const;

/** Listens; rejects when the address cannot be had. `port` 0 picks one, see `address`. */
export async function startSemtechUdp(
  needs: LinkNeeds & { host: string; port: number; mostWaitingBytes?: number },
): Promise<SemtechUdp> {
  const { gateways, clock, log, count, mostGateways = 50_000, mostWaitingBytes = 64 * 1024 * 1024 } = needs;
  const exchange = createExchange(needs);
  const { warn } = exchange;
  const type = needs.host.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type, recvBufferSize: receiveBufferBytes, lookup: lookUpNames });
  /** Since the gateway's last report; only of gateways that have a path. */
  const refusedPulls = new Map<string, { address: string; times: number }>();
  const opened = new Map<string, GatewayPath>();
  /** Of datagrams whose gateway is looked up, or that wait for the disk. */
  let waitingBytes = 0;

  const paths = createPullPaths(clock, mostGateways, (gatewayID) => {
    const path = opened.get(gatewayID);
    if (path) gateways.close(gatewayID, path);
    opened.delete(gatewayID);
    refusedPulls.delete(gatewayID);
    log.info({ gatewayID }, 'The gateway is gone: it was removed, or sent no PULL_DATA for 60 s.');
  });
  const downlinks = createSemtechDownlinks({
    clock,
    transmit(gatewayID, token, item) {
      const path = paths.of(gatewayID);
      if (!path) return null;
      if (path.version === 2) paths.expectConfirmation(gatewayID);
      exchange.left(gatewayID, item);
      const packet = { type: 'PULL_RESP', version: path.version, token: path.version === 2 ? token : 0 } as const;
      answer({ ...packet, txpk: txpkOf(item) }, path);
      return path.address;
    },
    answered: (gatewayID, status) => exchange.answered(gatewayID, status),
    finished(gatewayID, ack) {
      const path = opened.get(gatewayID);
      if (path) exchange.finished(gatewayID, path, ack);
    },
  });

  const readQueue = () => {
    const { address, port } = socket.address();
    return readKernelQueue({ port, isIPv6: address.includes(':') });
  };
  const backlog = createDatagramBacklog({ clock, takenBytes: () => waitingBytes, readQueue });
  const limits = createDatagramLimits(clock, () => backlog.isBehind() || needs.isBehind?.() === true);

  function answer(packet: Parameters<typeof encodePacket>[0], to: { address: string; port: number }): void {
    const failed = (error: unknown) => {
      count('gateway_answers_failed');
      warn('send', { err: error, address: to.address }, 'A datagram could not be sent.');
    };
    try {
      socket.send(encodePacket(packet), to.port, to.address, (error) => error && failed(error));
    } catch (error) {
      // Port 0 cannot be sent to, and nothing can once the socket is closed.
      failed(error);
    }
  }

  function drop(fault: string, from: RemoteInfo, error: unknown): void {
    count('gateway_datagrams_dropped', { fault });
    warn(fault, { address: from.address, port: from.port, reason: String(error) }, 'A datagram was dropped.');
  }

  async function push(header: Header & { gatewayID: string }, bytes: Uint8Array, from: RemoteInfo): Promise<void> {
    const network = await exchange.networkOf(header.gatewayID, from.address);
    const ack = { type: 'PUSH_ACK', version: header.version, token: header.token } as const;
    if (!network) {
      count('gateway_datagrams_dropped', { fault: 'unknown-gateway' });
      return answer(ack, from);
    }
    const packet = decodePacket(bytes);
    if (packet.type !== 'PUSH_DATA') return;
    const { frames, badCRC, withoutCRC, broken } = uplinksOf(packet);
    if (badCRC + withoutCRC > 0) count('gateway_uplinks_without_crc', {}, badCRC + withoutCRC);
    for (const error of broken) drop(error.fault, from, error);
    if (frames.length > 0) await exchange.receive(header.gatewayID, speaker, network, frames);
    await report(network, packet, from);
    answer(ack, from);
  }

  async function report(network: GatewayNetwork, packet: PushData, from: RemoteInfo): Promise<void> {
    try {
      const stats = statsOf(packet);
      if (!stats) return;
      const metaData = { ...stats.metaData, ...toldRefusedPulls(packet.gatewayID), link: 'semtech-udp' };
      await exchange.report(packet.gatewayID, speaker, network, { ...stats, metaData, ip: from.address });
    } catch (error) {
      if (!(error instanceof PacketError)) throw error;
      drop(error.fault, from, error);
    }
  }

  /** Shown with the gateway until its next report. */
  function toldRefusedPulls(gatewayID: string): Record<string, string> {
    const refused = refusedPulls.get(gatewayID);
    refusedPulls.delete(gatewayID);
    return refused ? { pullsRefused: `${refused.times} from ${refused.address}` } : {};
  }

  function pull(header: Header & { gatewayID: string }, from: RemoteInfo): void {
    const { gatewayID, version, token } = header;
    answer({ type: 'PULL_ACK', version, token }, from);
    const keep = async (network: GatewayNetwork): Promise<void> => {
      const outcome = paths.pull(gatewayID, { address: from.address, port: from.port, version });
      if (outcome === 'full') return count('gateway_paths_full');
      if (outcome === 'held') return refusePull(gatewayID, from);
      if (!open(gatewayID, outcome === 'new')) return refusePull(gatewayID, from);
      if (outcome === 'moved') noteMove(gatewayID, from);
      if (outcome === 'new') log.info({ gatewayID, address: from.address, port: from.port }, 'The gateway pulls.');
      await network.gatewaySeen(gatewayID);
    };
    // One that was removed is sent to no longer.
    exchange.follow({ gatewayID, address: from.address }, keep, () => paths.drop(gatewayID));
  }

  /** Routers give gateways new ports; so does anybody else at the address who wants the downlinks. */
  function noteMove(gatewayID: string, { address, port }: RemoteInfo): void {
    count('gateway_path_moved');
    warn(
      `moved/${gatewayID}`,
      { gatewayID, address, port },
      'The downlinks of a gateway go to another port of its address.',
    );
  }

  /** With each PULL_DATA: another link may have had the gateway until now. Another address is another path. */
  function open(gatewayID: string, isNew: boolean): boolean {
    const path = (!isNew && opened.get(gatewayID)) || pathTo(gatewayID);
    opened.set(gatewayID, path);
    return gateways.of(gatewayID) === path || gateways.open(gatewayID, path);
  }

  function pathTo(gatewayID: string): GatewayPath {
    return {
      ...speaker,
      get source() {
        return paths.of(gatewayID)?.address;
      },
      isSilent: () => paths.isSilent(gatewayID),
      send(frame) {
        const pulled = paths.of(gatewayID);
        return pulled !== null && downlinks.send(gatewayID, pulled.version, frame);
      },
    };
  }

  function refusePull(gatewayID: string, { address }: RemoteInfo): void {
    count('gateway_path_held');
    const before = refusedPulls.get(gatewayID);
    refusedPulls.set(gatewayID, { address, times: (before?.times ?? 0) + 1 });
    warn(`held/${gatewayID}`, { gatewayID, address }, 'Another address pulls for a connected gateway.');
  }

  /** Believed only from the address that holds the gateway's path: a token has 16 bits, which are guessed in no time. */
  function acknowledge(packet: TxAck, from: RemoteInfo): void {
    const outcome = downlinks.acknowledge(packet, from.address);
    if (outcome === 'taken') paths.confirmed(packet.gatewayID);
    else if (outcome === 'foreign') refuseForeignAck(packet.gatewayID, from);
    else count('gateway_acks_unknown');
  }

  function refuseForeignAck(gatewayID: string, { address }: RemoteInfo): void {
    count('gateway_acks_foreign');
    warn(`foreign/${gatewayID}`, { gatewayID, address }, 'An address that does not pull reports on a downlink.');
  }

  function senderOf(gatewayID: string, { address, port }: RemoteInfo): Sender {
    const path = gateways.of(gatewayID);
    if (!path) return 'unknown';
    if (path.source !== address) return 'stranger';
    return paths.of(gatewayID)?.port === port ? 'puller' : 'neighbour';
  }

  function isRefused(gatewayID: string, bytes: Uint8Array, from: RemoteInfo): boolean {
    const fault = limits.refusal(from, gatewayID, bytes.length, senderOf(gatewayID, from));
    if (fault === null) return false;
    count('gateway_datagrams_dropped', { fault });
    warn(fault, { gatewayID, address: from.address }, 'Datagrams are dropped: an address sends too many.');
    return true;
  }

  function dispatch(bytes: Uint8Array, from: RemoteInfo): void {
    backlog.note();
    const header = decodeHeader(bytes);
    if (!('gatewayID' in header)) return count('gateway_datagrams_dropped', { fault: 'direction' });
    const { gatewayID } = header;
    const isAck = header.type === 'TX_ACK';
    if (isAck && paths.of(gatewayID)?.address !== from.address) return refuseForeignAck(gatewayID, from);
    if (isRefused(gatewayID, bytes, from)) return;
    switch (header.type) {
      case 'PUSH_DATA':
        if (waitingBytes + bytes.length > mostWaitingBytes) return drop('full', from, 'too much waits for the storage');
        waitingBytes += bytes.length;
        push(header, bytes, from)
          .catch((error: unknown) => drop(error instanceof PacketError ? error.fault : 'not-taken', from, error))
          .finally(() => {
            waitingBytes -= bytes.length;
            limits.done(bytes.length);
          });
        break;
      case 'PULL_DATA':
        pull(header, from);
        break;
      case 'TX_ACK': {
        const packet = decodePacket(bytes);
        if (packet.type === 'TX_ACK') acknowledge(packet, from);
      }
    }
  }

  socket.on('message', (bytes, from) => {
    try {
      dispatch(bytes, from);
    } catch (error) {
      drop(error instanceof PacketError ? error.fault : 'unexpected', from, error);
    }
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(needs.port, needs.host, () => {
      socket.off('error', reject);
      socket.on('error', (error) => {
        count('connection_errors', { protocol: 'semtech_udp', cause: 'connection' });
        log.error({ err: error }, 'The gateway socket failed.');
      });
      resolve();
    });
  });

  const { address: host, port } = socket.address();
  let droppedByKernel = 0;
  async function noteKernelDrops(): Promise<void> {
    const drops = (await readQueue())?.drops ?? 0;
    if (drops <= droppedByKernel) return;
    count('gateway_datagrams_dropped', { fault: 'kernel' }, drops - droppedByKernel);
    warn('kernel', { drops }, 'Datagrams came faster than they were read. Raise net.core.rmem_max if they are many.');
    droppedByKernel = drops;
  }

  let cancelSweep = clock.after(sweepEveryMs, sweep);
  function sweep(): void {
    paths.sweep();
    void noteKernelDrops();
    cancelSweep = clock.after(sweepEveryMs, sweep);
  }
  async function stop(): Promise<void> {
    cancelSweep();
    for (const [gatewayID, path] of opened) gateways.close(gatewayID, path);
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  }
  return { address: { host, port }, stop, [Symbol.asyncDispose]: stop };
}
