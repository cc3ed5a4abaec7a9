import type { CopyOwner, CrossInstanceDeduplication } from '../../ports/cross-instance-deduplication.ts';
import { addReception, type CollectedUplink, uplinkKeyOf } from '../collector.ts';
import type { UplinkAdmission } from '../device-order.ts';
import { readCopy } from '../journal-copy.ts';
import type { PipelineContext } from '../pipeline.ts';
import type { ClusterJournal } from './cluster-journal.ts';

/**
 * While the owner of an uplink is unknown or has ended, each instance waits this long per preceding instance: it skips
 * what those have processed. The third one still answers in time.
 */
const perPeerMs = 200;

/** Admits the uplinks that this instance owns, with the copies that its peers received. */
export class ClusterAdmission implements UplinkAdmission {
  readonly #order: UplinkAdmission;
  readonly #context: PipelineContext;
  readonly #journal: ClusterJournal;
  readonly #crossInstance: CrossInstanceDeduplication;

  constructor(
    order: UplinkAdmission,
    needs: { context: PipelineContext; journal: ClusterJournal; crossInstance: CrossInstanceDeduplication },
  ) {
    this.#order = order;
    this.#context = needs.context;
    this.#journal = needs.journal;
    this.#crossInstance = needs.crossInstance;
  }

  async admit(arrivalKey: string, collected: CollectedUplink): Promise<void> {
    const owners = this.#journal.takeOwners(collected.journalIDs);
    if (owners) await this.#admitOwned(arrivalKey, collected, await owners);
    else if (collected.isTooLateToAnswer) await this.#admitAfterPeers(arrivalKey, collected);
    else await this.#order.admit(arrivalKey, collected);
  }

  async #admitOwned(arrivalKey: string, collected: CollectedUplink, owners: readonly CopyOwner[]): Promise<void> {
    const { network, tasks } = this.#context;
    const ownedBy = (...which: CopyOwner[]) => collected.journalIDs.filter((_, nth) => which.includes(owners[nth]!));
    const late = ownedBy('late');
    network.count('uplink_copies_late', {}, late.length);
    // The owner finishes them. `AbandonedCopies` finds those that remain in the journal.
    this.#journal.release(ownedBy('elsewhere'));
    // The owner has collected its copies and has one of its own in the journal until the uplink is processed.
    if (late.length > 0) tasks.add(this.#journal.finish(late));
    collected.journalIDs = ownedBy('mine', 'unknown');
    if (collected.journalIDs.length === 0) return;
    if (!owners.includes('mine')) return await this.#admitAfterPeers(arrivalKey, collected);
    await this.#addCopiesOfPeers(collected);
    await this.#order.admit(arrivalKey, collected);
  }

  async #admitAfterPeers(arrivalKey: string, collected: CollectedUplink): Promise<void> {
    await this.#context.pauses.wait(this.#crossInstance.priorityOf(arrivalKey) * perPeerMs);
    await this.#order.admit(arrivalKey, collected);
  }

  async #addCopiesOfPeers(collected: CollectedUplink): Promise<void> {
    const { network } = this.#context;
    const key = uplinkKeyOf(collected.phyPayload, collected.txInfo);
    const ids = (await this.#crossInstance.collectCopies(key)).filter((id) => !collected.journalIDs.includes(id));
    if (ids.length === 0) return;
    const stored = await network.state.journalled(ids).catch(() => []);
    for (const { id, copy } of stored) {
      const { phyPayload, txInfo, rxInfo } = readCopy(copy);
      if (!txInfo || !rxInfo || uplinkKeyOf(phyPayload, txInfo) !== key) continue;
      if (!addReception(collected, rxInfo, id)) network.count('uplink_copies_surplus');
      this.#journal.claim([id]);
    }
  }
}
