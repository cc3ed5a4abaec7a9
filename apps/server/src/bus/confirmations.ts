import type { Metrics } from '../metrics.ts';
import type { PeerRequests } from './peer-requests.ts';

interface ConfirmationsDependencies {
  id: string;
  /** The ids of the live instances, with or without this one. */
  live: () => readonly string[];
  requests: PeerRequests;
  metrics: Pick<Metrics, 'count'>;
}

/** How long a change waits for confirmations of peers. Their caches expire after seconds anyway. */
export const confirmMs = 500;

/** Waits until all peers have processed the changes that this instance published. */
export class Confirmations {
  readonly #dependencies: ConfirmationsDependencies;
  /** Peers that did not confirm in time. Changes do not wait for them until they answer any question. */
  readonly #unconfirmed = new Set<string>();
  #changeCount = 0;
  /** Whether Redis accepted the last change. Redis accepts changes in the order in which they are published. */
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
   * Redis delivers the messages of this instance in order, so a peer that answers a question has processed the changes
   * published before it. Resolves at once when Redis does not accept them: then no peer receives them.
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
    // When Redis did not answer, peers may still work.
    if (isSent) for (const peer of awaited) this.#unconfirmed.add(peer);
  }
}
