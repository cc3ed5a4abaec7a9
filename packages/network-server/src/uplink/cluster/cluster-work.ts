import type { PipelineContext } from '../pipeline.ts';
import { processUplink, type UplinkWork } from '../process-uplink.ts';
import { processEarlierUplinks, processUplinksOfEndedSessions } from './earlier-uplinks.ts';
import { guardedFinish } from './guarded-finish.ts';

/**
 * How long a peer that has received an earlier uplink of the device may take to process it; this one is still answered
 * in time.
 */
const waitForPeerMs = 100;

/** The same work as in a single process, after the unprocessed uplinks of the device that peers have received. */
export function clusterWork({ network, pauses, forward }: PipelineContext): UplinkWork {
  const waitForPeer = () => pauses.wait(waitForPeerMs);
  return async (identified) => {
    await processUplinksOfEndedSessions(network, identified);
    await processEarlierUplinks(network, identified, { waitForPeer, forward });
    return await processUplink(network, identified, {
      finish: guardedFinish(network.state),
      forward: (frame) => forward(identified.collected, frame),
    });
  };
}
