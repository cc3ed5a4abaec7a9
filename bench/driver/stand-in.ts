import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands before a TCP server of this machine, and is the network between it and one client. */
export interface StandIn extends AsyncDisposable {
  port: number;
  /** Each piece is under way for so long, in either direction. */
  delay(ms: number): void;
  /** Connections end at once (RST), and no new one comes about. */
  refuse(): void;
  /** Nothing comes through, and nobody is told: the cable is cut. */
  cut(): void;
  /** What there is now carries nothing any more, and nobody is told: a firewall has forgotten it. New ones work. */
  forget(): void;
  /** As if nothing had been. What was cut off stays cut off and ends by RST: the other end has forgotten it. */
  heal(): void;
}

export async function startStandIn(behind: number): Promise<StandIn> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const mute = new WeakSet<Socket>();
  const forgotten = new WeakSet<readonly [Socket, Socket]>();
  let state: 'well' | 'refused' | 'cut' = 'well';
  let delayMs = 0;

  function pass(from: Socket, to: Socket): void {
    const waiting: { at: number; bytes: Buffer }[] = [];
    function pump(): void {
      while (waiting[0] && waiting[0].at <= performance.now()) {
        const { bytes } = waiting.shift()!;
        if (!mute.has(from) && to.writable) to.write(bytes);
      }
      if (waiting[0]) setTimeout(pump, Math.max(1, waiting[0].at - performance.now()));
    }
    from.on('data', (bytes: Buffer) => {
      const at = Math.max(performance.now() + delayMs, waiting.at(-1)?.at ?? 0);
      if (waiting.push({ at, bytes }) === 1) pump();
    });
    from.on('error', () => undefined);
    from.on('close', () => !mute.has(from) && to.destroy());
  }

  function silence(pair: readonly [Socket, Socket]): void {
    for (const socket of pair) mute.add(socket);
  }

  function reset(pair: readonly [Socket, Socket]): void {
    // Node keeps a socket for ever that is reset while its FIN is on the way, and spins when its process ends.
    for (const socket of pair) {
      if (socket.writableEnded) socket.destroy();
      else socket.resetAndDestroy();
    }
    pairs.delete(pair);
  }

  const server = createServer((client) => {
    if (state === 'refused') return void client.resetAndDestroy();
    const upstream = connect(behind, '127.0.0.1');
    const pair = [client, upstream] as const;
    for (const socket of pair) socket.setNoDelay();
    pairs.add(pair);
    if (state === 'cut') silence(pair);
    pass(client, upstream);
    pass(upstream, client);
    client.on('close', () => pairs.delete(pair));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    delay: (ms) => void (delayMs = ms),
    refuse() {
      state = 'refused';
      for (const pair of pairs) reset(pair);
    },
    cut() {
      state = 'cut';
      for (const pair of pairs) silence(pair);
    },
    forget() {
      for (const pair of pairs) {
        silence(pair);
        forgotten.add(pair);
      }
    },
    heal() {
      state = 'well';
      delayMs = 0;
      for (const pair of pairs) if (mute.has(pair[0]) && !forgotten.has(pair)) reset(pair);
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const pair of pairs) reset(pair);
      await once(server, 'close');
    },
  };
}
