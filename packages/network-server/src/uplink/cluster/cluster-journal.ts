import type { gw } from '@hilltop/protobuf';
import type { Clock } from '../../platform/runtime.ts';
import type { CopyOwner, CrossInstanceDeduplication } from '../../ports/cross-instance-deduplication.ts';
import type { JournalID } from '../../state/state.ts';
import { uplinkKeyOf } from '../collector.ts';
import type { StoredCopy, UplinkJournal } from '../journal.ts';
import { createPauseDetector } from './pause-detector.ts';

/** The journal that several instances share: announces stored copies and records which ones this instance works on. */
export class ClusterJournal implements UplinkJournal {
  readonly #local: UplinkJournal;
  readonly #crossInstance: CrossInstanceDeduplication;
  readonly #pauseDetector: ReturnType<typeof createPauseDetector>;
  readonly #claimed = new Set<JournalID>();
  /** The owners of announced copies until their uplink is admitted. */
  readonly #owners = new Map<JournalID, Promise<CopyOwner>>();

  constructor(local: UplinkJournal, crossInstance: CrossInstanceDeduplication, clock: Clock) {
    this.#local = local;
    this.#crossInstance = crossInstance;
    this.#pauseDetector = createPauseDetector(clock);
  }

  /** The copies that this instance works on. */
  get claimed(): ReadonlySet<JournalID> {
    return this.#claimed;
  }

  unfinished(): number {
    return this.#local.unfinished();
  }

  async store(frames: readonly gw.UplinkFrame[]): Promise<StoredCopy[]> {
    const receivedAt = this.#pauseDetector.earliestArrival();
    const copies = await this.#local.store(frames);
    const announced = copies.map(({ id }, nth) => ({ id, key: keyOf(frames[nth]!) }));
    const owners = this.#crossInstance.add(announced);
    for (const [nth, { id }] of copies.entries()) {
      this.#claimed.add(id);
      this.#owners.set(
        id,
        owners.then((all) => all[nth] ?? 'unknown'),
      );
    }
    return copies.map(({ id }) => ({ id, receivedAt }));
  }

  async storeForwarded(frame: gw.UplinkFrame): Promise<JournalID | undefined> {
    const id = await this.#local.storeForwarded(frame);
    if (id !== undefined) this.#claimed.add(id);
    return id;
  }

  /**
   * Which instance processes these copies of one uplink, asked once; null when they were not announced. Copies that were
   * not announced belong to this instance.
   */
  takeOwners(ids: readonly JournalID[]): Promise<CopyOwner[]> | null {
    const owners = ids.map((id) => this.#owners.get(id));
    for (const id of ids) this.#owners.delete(id);
    return owners[0] === undefined ? null : Promise.all(owners.map(async (owner) => (await owner) ?? 'mine'));
  }

  claim(ids: readonly JournalID[]): void {
    this.#local.claim(ids);
    for (const id of ids) this.#claimed.add(id);
  }

  release(ids: readonly JournalID[]): void {
    this.#local.release(ids);
    this.#forget(ids);
  }

  async finish(ids: readonly JournalID[]): Promise<void> {
    await this.#local.finish(ids);
    this.#forget(ids);
  }

  stop(): void {
    this.#pauseDetector.stop();
  }

  #forget(ids: readonly JournalID[]): void {
    for (const id of ids) {
      this.#claimed.delete(id);
      this.#owners.delete(id);
    }
  }
}

function keyOf({ phyPayload, txInfo }: gw.UplinkFrame): string {
  return txInfo ? uplinkKeyOf(phyPayload, txInfo) : '';
}
