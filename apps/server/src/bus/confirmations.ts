import type { Metrics } from '../metrics.ts';
import type { PeerRequests } from './peer-requests.ts';

interface ConfirmationsDependencies {
  id: string;
  /** The ids of the instances that are live; this one may be among them. */
  live: () => readonly string[];
  requests: PeerRequests;
  metrics: Pick<Metrics, 'count'>;
}

/** How long the answer to a change waits for the peers: they read again after seconds what they have in caches. */
export const confirmMs = 500;

/** Waits until all peers have processed the changes that this instance published. */
export class Confirmations {
  readonly #dependencies: ConfirmationsDependencies;
  /** Peers that did not confirm in time. No change waits for them until they answer any question. */
  readonly #unconfirmed = new Set<string>();
  #changeCount = 0;
  /** Whether Redis took the last change. It takes them in the order in which they are published. */
  #lastChange: Promise<number | undefined> | undefined;

  constructor(dependencies: ConfirmationsDependencies) {
    this.#dependencies = dependencies;
    dependencies.metrics.count('bus_confirmations_missed', {}, 0);
  }

  get changeCount(): number {
    return this.#changeCount;
  }

  published(sent: Promise<number | undefined>): void {
    this.#changeCount += 1;
    this.#lastChange = sent;
  }

  answeredBy(peer: string): void {
    this.#unconfirmed.delete(peer);
  }

  /**
   * Redis hands an instance what this one publishes in its order, so the answer to a question that follows the changes says
   * that they are processed. Resolves at once when Redis does not take them: then there is nothing to wait for.
   */
  async confirmed(): Promise<void> {
    const { id, live, requests, metrics } = this.#dependencies;
    const peers = live().filter((peer) => peer !== id);
    if (peers.length === 0) return;
    for (const peer of this.#unconfirmed) if (!peers.includes(peer)) this.#unconfirmed.delete(peer);
    const awaited = new Set(peers.filter((peer) => !this.#unconfirmed.has(peer)));
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasTimedOut = false;
    let isSent = false;
    const timer = setTimeout(() => {
      hasTimedOut = true;
      resolve();
    }, confirmMs);
    const question = { question: 'changes-processed', body: {}, withinMs: confirmMs } as const;
    const { sent, end } = requests.openToAll(question, (_answer, from) => {
      awaited.delete(from);
      if (awaited.size === 0) resolve();
    });
    void Promise.all([this.#lastChange, sent]).then((results) => {
      isSent = !results.includes(undefined);
      if (!isSent || awaited.size === 0) resolve();
    });
    await promise;
    clearTimeout(timer);
    end();
    if (!hasTimedOut) return;
    metrics.count('bus_confirmations_missed');
    // Where Redis itself has not answered, the peers may be well.
    if (isSent) for (const peer of awaited) this.#unconfirmed.add(peer);
  }
}
