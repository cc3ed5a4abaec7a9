import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A port that forwards connections to several backends. */
export interface Balancer extends AsyncDisposable {
  port: number;
}

/** The port of a backend, and the URL of its readiness check. */
export interface Backend {
  port: number;
  healthPort: number;
}

const everyMs = 250;

/**
 * Forwards each TCP connection to the next ready backend: HTTP, websockets or gRPC. A backend is ready when
 * `/health/ready` says so; at the start, the balancer waits for all. Listens on `port` of 127.0.0.1, or on any free port
 * when `port` is 0.
 */
export async function startBalancer(backends: readonly Backend[], port = 0): Promise<Balancer> {
  const ready = new Set<Backend>();
  const open = new Set<Socket>();
  const ending = new AbortController();
  let next = 0;

  async function look(backend: Backend, wasReady: () => void): Promise<void> {
    while (!ending.signal.aborted) {
      const answer = await fetch(`http://127.0.0.1:${backend.healthPort}/health/ready`).catch(() => undefined);
      await answer?.body?.cancel();
      if (answer?.ok) ready.add(backend);
      else ready.delete(backend);
      if (answer?.ok) wasReady();
      await pause(everyMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  }

  function lead(client: Socket, tries = backends.length): void {
    const choice = backends.filter((backend) => ready.has(backend));
    const backend = choice[next++ % choice.length];
    if (!backend || tries === 0) return void client.destroy();
    const server = connect({ port: backend.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    open.add(server);
    const refused = () => {
      ready.delete(backend);
      lead(client, tries - 1);
    };
    server.once('error', refused).once('close', () => open.delete(server));
    server.once('connect', () => {
      server.off('error', refused);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const)
        one.on('error', () => other.destroy()).once('close', () => other.destroy());
      client.pipe(server).pipe(client);
    });
  }

  const listener = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    open.add(client);
    client.on('error', () => undefined).once('close', () => open.delete(client));
    lead(client);
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const begun = backends.map(() => Promise.withResolvers<void>());
  const looking = backends.map((backend, index) => look(backend, begun[index]!.resolve));
  await Promise.all(begun.map(({ promise }) => promise));
  return {
    port: (listener.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      ending.abort();
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const socket of open) socket.destroy();
      await Promise.all([closed, ...looking]);
    },
  };
}
