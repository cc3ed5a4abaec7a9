/** The uplink pipeline as one of several instances on the same state. */
import type { CrossInstanceDeduplication } from '../../ports/cross-instance-deduplication.ts';
import { collectingAlone } from '../collector.ts';
import type { PipelineContext, PipelineDeployment } from '../pipeline.ts';
import { AbandonedCopies } from './abandoned-copies.ts';
import { ClusterAdmission } from './cluster-admission.ts';
import { ClusterJournal } from './cluster-journal.ts';
import { clusterWork } from './cluster-work.ts';

/** Each instance has few open windows, which rarely close at the same time, so they wait for each other earlier. */
const laterMs = (open: number) => Math.min(open * 0.1, 10);

export function cluster(crossInstance: CrossInstanceDeduplication): PipelineDeployment {
  let journal: ClusterJournal;
  const needsOf = (context: PipelineContext) => ({ crossInstance, context, journal });
  return {
    // Peers learn of a copy when it is stored, so the time for storing does not shorten the window.
    collection: { ...collectingAlone, laterMs, soonerShare: 0, mostStorageMs: 0, separatesRecovered: true },
    journal(local, network) {
      journal = new ClusterJournal(local, crossInstance, network.clock);
      return journal;
    },
    admission: (order, context) => new ClusterAdmission(order, needsOf(context)),
    work: clusterWork,
    recovery: (context) => new AbandonedCopies(needsOf(context)),
  };
}
