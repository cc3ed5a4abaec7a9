import type { Clock, DownlinkReport, ReportDownlink } from '@hilltop/network-server';
import type { as } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import type { EventLog } from '../event-log/event-log.ts';
import {
  advanceDownlink,
  advanceWithEvent,
  type ChangedDownlink,
  openDownlinks,
  type StepName,
  type StoredStep,
  stepPayloadOf,
} from './downlink-rows.ts';
import type { ServerEffect } from './effect.ts';

interface DownlinkStepsDependencies {
  database: Database;
  eventLog: Pick<EventLog, 'appendOwn' | 'ownAppended'>;
  clock: Clock;
}

type ReportedStep = Omit<DownlinkReport, 'itemID' | 'step'> & {
  step: Exclude<StepName, 'QUEUED'>;
  id: string;
  by?: string;
};

/** Stores what happens to downlinks, and adds it to the history of their devices. */
export interface DownlinkSteps {
  /** What embedded network servers report. */
  report: ReportDownlink;
  /** Call it in the transaction that queues the downlink. */
  queued: (downlink: {
    id: string;
    devEUI: string;
    fPort: number;
    fCnt: number;
    at: number;
    by: string;
  }) => Promise<void>;
  /** All open downlinks of the device end. */
  endAll: (devEUI: string, step: 'FLUSHED' | 'REJOINED', by?: string) => ServerEffect;
  /** What a remote network server reports with the counter of a downlink. */
  ofRemote: (devEui: Uint8Array, fCnt: number, step: Omit<ReportedStep, 'id' | 'devEUI' | 'fCnt'>) => ServerEffect;
  /** A remote network server gives its queue other counters. */
  renumbered: (request: as.ReEncryptDeviceQueueItemsRequest) => ServerEffect;
}

export function createDownlinkSteps({ database, eventLog, clock }: DownlinkStepsDependencies): DownlinkSteps {
  function addToHistory(devEUI: string, at: number, payload: object): Promise<void> {
    const json = () => JSON.stringify({ publishedAt: new Date(at).toISOString(), ...payload });
    return eventLog.appendOwn({ type: 'downlink', devEUI, json }, at);
  }

  async function advance({ id, devEUI, fCnt, ...details }: ReportedStep): Promise<void> {
    const now = clock.now().getTime();
    const step = { at: now, ...details };
    if (database.kind === 'postgres') {
      const row = await advanceWithEvent(database, { id, devEUI, fCnt, step }, now);
      if (row) eventLog.ownAppended({ devEUI, type: 'downlink' }, row);
      return;
    }
    const changed = await advanceDownlink(database, { id, devEUI, fCnt, step });
    if (changed) await addToHistory(devEUI, step.at, payloadOf(changed, { fCnt, ...step }));
  }

  const effectOf = (about: string, write: () => Promise<void>): ServerEffect => ({ about, write });
  const isSentAtOnce = database.kind === 'postgres';

  return {
    report: ({ itemID: id, ...report }) => ({
      about: `downlink of ${report.devEUI}: ${report.step}`,
      write: () => advance({ id, ...report }),
      isSentAtOnce,
    }),

    queued: ({ devEUI, id, fPort, at, fCnt, by }) =>
      addToHistory(
        devEUI,
        at,
        payloadOf(
          { id, state: 'QUEUED', reason: '', f_port: fPort },
          { at, step: 'QUEUED', fCnt, ...(by !== '' && { by }) },
        ),
      ),

    endAll: (devEUI, step, by) =>
      effectOf(`downlinks of ${devEUI}: ${step}`, async () => {
        for (const { id, f_cnt: fCnt } of await openDownlinks(database, devEUI))
          await advance({ id, devEUI, fCnt, step, ...(by && { by }) });
      }),

    ofRemote: (devEui, fCnt, step) =>
      effectOf(`downlink ${fCnt} of ${devEui.toHex()}`, async () => {
        const devEUI = devEui.toHex();
        const found = (await openDownlinks(database, devEUI)).find((open) => open.f_cnt === fCnt);
        if (found) await advance({ id: found.id, devEUI, fCnt, ...step });
      }),

    renumbered: ({ devEui, items, fCntStart }) =>
      effectOf(`counters of downlinks of ${devEui.toHex()}`, async () => {
        const open = await openDownlinks(database, devEui.toHex());
        for (const [index, { fCnt }] of items.entries()) {
          const found = open.find((one) => one.f_cnt === fCnt);
          if (!found) continue;
          await database.query
            .updateTable('downlink')
            .set({ f_cnt: fCntStart + index })
            .where('id', '=', found.id)
            .execute();
        }
      }),
  };
}

/** A row of the history. */
function payloadOf({ id, state, reason, f_port: fPort }: ChangedDownlink, step: StoredStep): object {
  return { id, fPort, ...stepPayloadOf(step), state, reason: reason || (step.reason ?? '') };
}
