import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that simulates the network between a client and a server on this machine. */
export interface FaultyProxy extends AsyncDisposable {
  port: number;
  /** Delays each chunk by this time in both directions. */
  delay(ms: number): void;
  /** Resets all connections (RST) and refuses new ones. */
  refuse(): void;
  /** Drops all data without ending connections, like a cut cable. */
  cut(): void;
  /** Drops all data of existing connections without ending them, like a firewall that lost its state. New connections work. */
  forget(): void;
  /** Ends the fault. Connections that were cut off end by RST, because the other end has dropped them. */
  heal(): void;
}

export async function startFaultyProxy(behind: number): Promise<FaultyProxy> {
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
    // Node.js never closes a socket that is reset while its FIN is in flight, and spins at the end of the process.
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
