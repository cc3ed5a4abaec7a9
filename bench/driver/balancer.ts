import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** A UDP balancer as nginx's `stream` is one: a flow of a gateway has one server, which takes the balancer for its source. */
export interface Balancer extends AsyncDisposable {
  port: number;
  /** All flows go to the next server from now on, from ports that it has never seen. */
  move(): void;
}

interface Flow {
  nth: number;
  socket: Socket;
}

const receiveBufferBytes = 4 * 2 ** 20;

/** `servers`: by address and port. */
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
    // What is sent before waits; a server that is away answers with ICMP, which arrives as an error here.
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
      // Not connected yet: lost, as datagrams may be.
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
