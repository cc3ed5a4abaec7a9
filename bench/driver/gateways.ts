import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decodePacket, encodePacket, type Rxpk, readTxpk, type Txpk } from '@hilltop/gateway-protocols';

/** Packet forwarders with one socket each, which send prepared datagrams fast. */
export interface Gateways extends Disposable {
  /** Sends one uplink from the next gateway; `index` counts the uplinks of a run. */
  prepare: (index: number, rxpk: Rxpk) => Uint8Array;
  send: (index: number, datagram: Uint8Array) => void;
  /** Called with the index of an acknowledged uplink. */
  onAcknowledged: (index: number) => void;
  onDownlink: (txpk: Txpk) => void;
}

const tokens = 0x10000;
const pullEveryMs = 5000;
const answerMs = 10_000;
const receiveBufferBytes = 4 * 2 ** 20;

/** With several servers, the gateways are distributed over them round-robin. */
export async function openGateways(
  udpPort: number | readonly number[],
  gatewayIDs: readonly string[],
  host = '127.0.0.1',
): Promise<Gateways> {
  const ports = typeof udpPort === 'number' ? [udpPort] : udpPort;
  const sockets: Socket[] = [];
  /** For each gateway and token, the index of the last uplink sent with it. */
  const sent = gatewayIDs.map(() => new Uint32Array(tokens));

  const gateways: Gateways = {
    prepare: (index, rxpk) => {
      const gatewayID = gatewayIDs[index % gatewayIDs.length]!;
      return encodePacket({
        type: 'PUSH_DATA',
        version: 2,
        token: tokenOf(index),
        gatewayID,
        rxpk: [rxpk],
        stat: undefined,
      });
    },
    send: (index, datagram) => {
      const turn = index % gatewayIDs.length;
      sent[turn]![tokenOf(index)] = index;
      sockets[turn]!.send(datagram);
    },
    onAcknowledged: () => {},
    onDownlink: () => {},
    [Symbol.dispose]: () => {
      clearInterval(pulling);
      for (const socket of sockets) socket.close();
    },
  };
  const tokenOf = (index: number) => Math.floor(index / gatewayIDs.length) % tokens;

  function receive(turn: number, bytes: Uint8Array): void {
    if (bytes[3] === pushAck) return gateways.onAcknowledged(sent[turn]![bytes[1]! | (bytes[2]! << 8)]!);
    if (bytes[3] !== pullResp) return;
    const packet = decodePacket(bytes);
    if (packet.type !== 'PULL_RESP') return;
    gateways.onDownlink(readTxpk(packet));
    const gatewayID = gatewayIDs[turn]!;
    sockets[turn]!.send(
      encodePacket({ type: 'TX_ACK', version: packet.version, token: packet.token, gatewayID, error: '', warn: '' }),
    );
  }

  function pull(): void {
    for (const [turn, gatewayID] of gatewayIDs.entries())
      sockets[turn]!.send(encodePacket({ type: 'PULL_DATA', version: 2, token: 0, gatewayID }));
  }

  for (const turn of gatewayIDs.keys()) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: receiveBufferBytes });
    socket.on('message', (bytes) => receive(turn, bytes));
    // The system refuses datagrams to a server that does not run; a packet forwarder ignores that.
    socket.on('error', () => {});
    socket.connect(ports[turn % ports.length]!, host);
    await once(socket, 'connect');
    sockets.push(socket);
  }
  const pulled = once(sockets.at(-1)!, 'message', { signal: AbortSignal.timeout(answerMs) });
  pull();
  await pulled.catch(() => {
    for (const socket of sockets) socket.close();
    throw new Error(`No PULL_ACK from ${host}:${ports.at(-1)} within 10 s: check the address for Semtech UDP.`);
  });
  const pulling = setInterval(pull, pullEveryMs).unref();
  return gateways;
}

/** Identifiers of the Semtech UDP protocol. */
const pushAck = 1;
const pullResp = 3;
