/** Where uplinks come in: to disk first, then collected, processed, and answered a moment later. */
import { create, fromJson, gw, toJsonText } from '@hilltop/protobuf';
import { createDelayLine } from '../delay-line.ts';
import { type Response, respondToUplink } from '../downlink/class-a.ts';
import { laneOfFrame } from '../lane-of.ts';
import type { Lanes } from '../lanes.ts';
import type { Network } from '../network.ts';
import { createPauses } from '../pauses.ts';
import { type Collected, createCollector } from './collect.ts';
import { processUplink } from './process.ts';

export interface Intake {
  /** Resolves when the copies are on disk, rejects when they were not taken. */
  receive(frames: readonly gw.UplinkFrame[]): Promise<void>;
  /** Takes up what a crash interrupted. */
  recover(): Promise<void>;
  /** Takes nothing more and finishes what it has. */
  drain(): Promise<void>;
}

/** Storage or application are away: the device's next uplinks wait behind this one. */
const retryAfterMs = [250, 1000, 4000, 15_000, 60_000];

export function createIntake(network: Network, lanes: Lanes): Intake {
  const { clock, log, settings, state } = network;
  const underway = new Set<Promise<void>>();
  const pauses = createPauses(clock);
  let unprocessed = 0;
  let isDraining = false;

  const collector = createCollector({
    clock,
    delayMs: settings.deduplicationDelayMs,
    process: (collected) => track(lanes.run(laneOfFrame(collected.phyPayload), () => process(collected))),
    late: (journalID) => {
      unprocessed -= 1;
      network.count('uplink_copies_late');
      track(finish(journalID));
    },
  });
  const responses = createDelayLine<Response>(clock, settings.getDownlinkDataDelayMs, (response) => {
    track(lanes.run(laneOfFrame(response.uplink.phyPayload), () => respond(response)));
  });

  function track(work: Promise<void>): void {
    underway.add(work);
    void work.finally(() => underway.delete(work));
  }

  async function process(collected: Collected): Promise<void> {
    for (const pauseMs of [...retryAfterMs, null]) {
      try {
        const { response } = await processUplink(network, collected);
        if (response) responses.add(response);
        break;
      } catch (error) {
        network.count('uplinks_failed');
        const retries = pauseMs !== null && !isDraining;
        log.error({ error, retries }, 'An uplink could not be processed; it is still in the journal.');
        if (!retries) break;
        collected.isRecovered = true;
        await pauses.wait(pauseMs);
      }
    }
    unprocessed -= collected.journalIDs.length;
  }

  async function respond(response: Response): Promise<void> {
    try {
      await respondToUplink(network, response);
    } catch (error) {
      network.count('downlinks_failed');
      log.error({ error, devEUI: response.session.devEUI }, 'A response could not be sent.');
    }
  }

  async function finish(journalID: number): Promise<void> {
    try {
      await state.commit({ writes: [{ kind: 'finish', ids: [journalID] }], effects: [] });
    } catch (error) {
      log.error({ error }, 'A late copy could not be removed from the journal.');
    }
  }

  return {
    async receive(frames) {
      if (isDraining || unprocessed + frames.length > settings.maxUnprocessedCopies) {
        network.count('uplinks_shed', {}, frames.length);
        throw new Error(isDraining ? 'The network server is stopping.' : 'Too many uplinks wait to be processed.');
      }
      unprocessed += frames.length;
      try {
        const ids = await state.receive(frames.map((frame) => toJsonText(gw.UplinkFrame, frame)));
        for (const [place, id] of ids.entries()) {
          const frame = frames[place];
          if (frame) collector.add(frame, id);
        }
      } catch (error) {
        unprocessed -= frames.length;
        throw error;
      }
    },
    async recover() {
      const left = await state.unfinished();
      if (left.length > 0) log.info({ copies: left.length }, 'Uplinks left by the last run are processed now.');
      unprocessed += left.length;
      for (const { id, copy } of left) collector.add(readCopy(copy), id, true);
    },
    async drain() {
      isDraining = true;
      pauses.end();
      collector.hurry();
      while (underway.size > 0) {
        await Promise.allSettled(underway);
        responses.hurry();
      }
      collector.forget();
    },
  };
}

/** A copy nobody can read any more is an empty frame, which is dropped and finished. */
function readCopy(copy: string): gw.UplinkFrame {
  try {
    return fromJson(gw.UplinkFrame, JSON.parse(copy));
  } catch {
    return create(gw.UplinkFrame);
  }
}
