import type { PipelineContext } from '../pipeline.ts';
import { processUplink, type UplinkWork } from '../process-uplink.ts';
import { processEarlierUplinks, processUplinksOfEndedSession } from './earlier-uplinks.ts';
import { guardedFinish } from './guarded-finish.ts';

/** A peer that has received an earlier uplink of the device gets so long to process it; this one is still answered in time. */
const waitForPeerMs = 100;

/** The same work as in a single process, after what peers have received of the device and not processed. */
export function clusterWork({ network, pauses, forward }: PipelineContext): UplinkWork {
  const waitForPeer = () => pauses.wait(waitForPeerMs);
  return async (identified) => {
    await processUplinksOfEndedSession(network, identified);
    await processEarlierUplinks(network, identified, { waitForPeer, forward });
    return await processUplink(network, identified, {
      finish: guardedFinish(network.state),
      forward: (frame) => forward(identified.collected, frame),
    });
  };
}
