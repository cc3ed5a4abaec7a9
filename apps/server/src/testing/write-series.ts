import type { EventNote } from '@hilltop/contract';
import { sql } from 'kysely';
import { filesIn } from '../data-directory.ts';
import { SeriesWriter } from '../history/series-writer.ts';
import { openStores } from '../history/stores.ts';

export interface PastUplink {
  readonly at: number;
  readonly dr?: number;
  readonly decoded: object;
  readonly note?: EventNote;
}

/** Writes the values of past uplinks of a device into the data directory of a running server. */
export async function writeSeries(dataDir: string, devEUI: string, uplinks: readonly PastUplink[]): Promise<void> {
  const { databaseFile, historyFile } = filesIn(dataDir);
  const stores = await openStores({ databaseURL: '', databaseFile, historyFile });
  try {
    const device = stores.log.selectFrom('device').select('log_from').where('dev_eui', '=', devEUI);
    const { log_from: from } = await device.executeTakeFirstOrThrow();
    await stores.blocks!.write.transaction().execute(async (transaction) => {
      const writer = await SeriesWriter.open(transaction, { devEUI, from });
      for (const [seq, { at, dr = 5, decoded, note = {} }] of uplinks.entries()) {
        const payload = JSON.stringify({ dr, objectJSON: JSON.stringify(decoded) });
        await writer.add({ at, seq, type: 'up', payload, note: JSON.stringify(note) }, from + 1);
      }
      const { bytes } = await writer.finish();
      await transaction
        .updateTable('history_state')
        .set({ series_bytes: sql<number>`series_bytes + ${bytes}` })
        .execute();
    });
  } finally {
    await stores.close();
  }
}
