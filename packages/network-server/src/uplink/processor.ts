/** Fourth stage of the uplink pipeline: processes one uplink of a device and passes its response on. */

import type { Decision } from './decision.ts';
import type { UplinkJournal } from './journal.ts';
import type { IdentifiedUplink } from './process-uplink.ts';
import type { ProcessingRetry } from './processing-retry.ts';
import type { UplinkResponder } from './responder.ts';

/** Decides about an uplink and writes the decision. */
export type UplinkWork = (identified: IdentifiedUplink) => Promise<Decision>;

export class UplinkProcessor {
  readonly #work: UplinkWork;
  readonly #retry: ProcessingRetry;
  readonly #journal: UplinkJournal;
  readonly #responder: UplinkResponder;

  constructor(needs: {
    work: UplinkWork;
    retry: ProcessingRetry;
    journal: UplinkJournal;
    responder: UplinkResponder;
  }) {
    this.#work = needs.work;
    this.#retry = needs.retry;
    this.#journal = needs.journal;
    this.#responder = needs.responder;
  }

  async process(identified: IdentifiedUplink): Promise<void> {
    const { collected } = identified;
    const decision = await this.#retry.run(collected, () => this.#work(identified));
    if (!decision) return;
    this.#journal.release(collected.journalIDs);
    if (decision.response) this.#responder.add(decision.response, { isRelay: Boolean(decision.forwarded) });
  }
}
