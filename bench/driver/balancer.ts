import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/**
 * A UDP load balancer that works like nginx's `stream`: all datagrams of a gateway go to one server, and the server sees
 * the address of the balancer as their source.
 */
export interface Balancer extends AsyncDisposable {
  port: number;
  /** Sends the datagrams of each gateway to the next server from now on, from new source ports. */
  move(): void;
}

interface Flow {
  nth: number;
  socket: Socket;
}

const receiveBufferBytes = 4 * 2 ** 20;

/** `servers`: the address and port of each server. */
export async function startBalancer(servers: readonly { host: string; udpPort: number }[]): Promise<Balancer> {
  const front = createSocket({ type: 'udp4', recvBufferSize: receiveBufferBytes });
  front.bind(0, '127.0.0.1');
  await once(front, 'listening');
  const flows = new Map<number, Flow>();
  let moved = 0;

  function flowOf(source: number): Flow {
    const known = flows.get(source);
    if (known) return known;
    const nth = flows.size;
    const flow = { nth, socket: connected(source, nth) };
    flows.set(source, flow);
    return flow;
  }

  function connected(source: number, nth: number): Socket {
    const socket = createSocket({ type: 'udp4', recvBufferSize: receiveBufferBytes });
    // Datagrams sent earlier wait in the queue. A server that does not run answers with ICMP, which becomes an error event.
    socket.on('error', () => undefined);
    socket.on('message', (bytes) => front.send(bytes, source, '127.0.0.1'));
    const { host, udpPort } = servers[(nth + moved) % servers.length]!;
    socket.connect(udpPort, host);
    return socket;
  }

  front.on('message', (bytes, { port }) => {
    const { socket } = flowOf(port);
    try {
      socket.send(bytes);
    } catch {
      // The socket is not connected yet: the datagram is lost, as UDP allows.
    }
  });

  return {
    port: front.address().port,
    move() {
      moved += 1;
      for (const [source, flow] of flows) {
        flow.socket.close();
        flow.socket = connected(source, flow.nth);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { socket } of flows.values()) socket.close();
      front.close();
      await once(front, 'close');
    },
  };
}
