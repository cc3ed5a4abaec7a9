import type { CrossInstanceDeduplication } from '../../ports/cross-instance-deduplication.ts';
import { readCopy } from '../journal-copy.ts';
import type { JournalRecovery, PipelineContext } from '../pipeline.ts';
import type { ClusterJournal } from './cluster-journal.ts';

const everyMs = 1000;
const mostAtOnce = 500;

/** Processes copies of ended peers, and copies of this instance that no instance works on. */
export class AbandonedCopies implements JournalRecovery {
  readonly #context: PipelineContext;
  readonly #journal: ClusterJournal;
  readonly #crossInstance: CrossInstanceDeduplication;
  #cancelTimer: () => void = () => undefined;
  #stopListening: () => void = () => undefined;
  #isLooking = false;
  /** A peer was lost during a check. */
  #mustLookAgain = false;

  constructor(needs: { context: PipelineContext; journal: ClusterJournal; crossInstance: CrossInstanceDeduplication }) {
    this.#context = needs.context;
    this.#journal = needs.journal;
    this.#crossInstance = needs.crossInstance;
  }

  /** Checks once, then every second, and at once when a peer is lost. */
  async start(): Promise<void> {
    await this.#collectAll();
    this.#lookLater();
    this.#stopListening = this.#crossInstance.onPeerLost(() => this.#lookNow());
  }

  stop(): void {
    this.#stopListening();
    this.#cancelTimer();
    this.#journal.stop();
  }

  #lookLater(): void {
    const { network, tasks } = this.#context;
    this.#cancelTimer = network.clock.after(everyMs, () => tasks.add(this.#look()));
  }

  #lookNow(): void {
    this.#mustLookAgain = true;
    if (this.#isLooking || this.#context.pauses.isEnded()) return;
    this.#cancelTimer();
    this.#context.tasks.add(this.#look());
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    do {
      this.#mustLookAgain = false;
      await this.#collectAll().catch((error: unknown) =>
        this.#context.network.log.error({ err: error }, 'The journal could not be searched for abandoned uplinks.'),
      );
    } while (this.#mustLookAgain);
    this.#isLooking = false;
    if (!this.#context.pauses.isEnded()) this.#lookLater();
  }

  async #collectAll(): Promise<void> {
    const { network, collectAgain } = this.#context;
    const { state, count, log } = network;
    const { claimed } = this.#journal;
    for (let last = 0, isMore = true; isMore; ) {
      const left = this.#crossInstance.orphanedCopies();
      const found = await state.abandoned(last, mostAtOnce, { inHand: claimed, left });
      // Some may have been claimed meanwhile.
      const abandoned = found.filter(({ id }) => !claimed.has(id));
      if (abandoned.length > 0)
        log.info({ copies: abandoned.length }, 'Uplinks that no instance works on are processed now.');
      count('uplink_copies_taken_over', {}, abandoned.length);
      this.#journal.claim(abandoned.map(({ id }) => id));
      for (const { id, copy } of abandoned) collectAgain(readCopy(copy), id);
      last = found.at(-1)?.id ?? last;
      isMore = found.length === mostAtOnce;
    }
  }
}
