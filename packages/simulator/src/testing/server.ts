/** A minimal server of Semtech UDP: acknowledges, records, and sends what the test wants. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { Packet, PushData, TxAck, Txpk } from '@hilltop/gateway-protocols';
import { decodePacket, encodePacket } from '@hilltop/gateway-protocols';
import { systemClock } from '../clock.ts';
import { createInbox } from '../inbox.ts';

export interface TestServer extends AsyncDisposable {
  address: string;
  /** While false, it does not acknowledge PUSH_DATA. */
  acknowledging: boolean;
  nextPush(): Promise<PushData>;
  nextTxAck(): Promise<TxAck>;
  /** Sends to the address of the last PULL_DATA of the gateway. */
  sendDownlink(gatewayID: string, txpk: Partial<Txpk>, token?: number): void;
  sendRaw(gatewayID: string, bytes: Uint8Array): void;
  pulls: number;
  txAcks: number;
}

export async function startTestServer(onPush?: (packet: PushData, server: TestServer) => void): Promise<TestServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const pushes = createInbox<PushData>(systemClock, 'The server got no PUSH_DATA');
  const txAcks = createInbox<TxAck>(systemClock, 'The server got no TX_ACK');
  const paths = new Map<string, RemoteInfo>();

  const send = (packet: Packet | Uint8Array, to: RemoteInfo) =>
    socket.send(packet instanceof Uint8Array ? packet : encodePacket(packet), to.port, to.address);

  const server: TestServer = {
    address: `127.0.0.1:${socket.address().port}`,
    acknowledging: true,
    pulls: 0,
    txAcks: 0,
    nextPush: () => pushes.take(2000),
    nextTxAck: () => txAcks.take(2000),
    sendDownlink(gatewayID, txpk, token = 1) {
      send({ type: 'PULL_RESP', version: 2, token, txpk }, paths.get(gatewayID)!);
    },
    sendRaw: (gatewayID, bytes) => send(bytes, paths.get(gatewayID)!),
    async [Symbol.asyncDispose]() {
      pushes.close();
      await new Promise<void>((closed) => socket.close(closed));
    },
  };

  socket.on('message', (bytes, from) => {
    const packet = decodePacket(bytes);
    const { version, token } = packet;
    if (packet.type === 'PUSH_DATA') {
      if (server.acknowledging) send({ type: 'PUSH_ACK', version, token }, from);
      pushes.put(packet);
      onPush?.(packet, server);
    } else if (packet.type === 'PULL_DATA') {
      server.pulls += 1;
      paths.set(packet.gatewayID, from);
      send({ type: 'PULL_ACK', version, token }, from);
    } else if (packet.type === 'TX_ACK') {
      server.txAcks += 1;
      txAcks.put(packet);
    }
  });
  return server;
}
