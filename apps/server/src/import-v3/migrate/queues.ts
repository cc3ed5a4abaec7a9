import type { QueueItem } from '@hilltop/network-server';
import { fromBinary } from '@hilltop/protobuf';
import { queueItemColumns } from '../../network/state-writes.ts';
import type { SourceRow } from '../source/postgres.ts';

import {
  bytes,
  counterRange,
  date,
  flag,
  hex,
  optionalDate,
  optionalNumber,
  ownID,
  text,
  whole,
} from '../source/read-row.ts';
import { SessionMessage } from '../source/session-message.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { importRows, NotImportable, rowsBy, textOfKey } from './each-row.ts';
import type { ImportStep } from './import-pass.ts';
import { sessionIDOf } from './session.ts';

const what = 'queued downlinks';
const nanosecondsPerMs = 1e6;
/** The bytes of a frame without its header, at the highest data-rates. */
const longestPayload = 242;

/**
 * Queued downlinks, still encrypted. The server gives a new counter to those whose counter has passed when it sends
 * them.
 */
export const importQueues: ImportStep = async function* (pass) {
  pass.report.count(what);
  for (const [networkServerID, { database, redis }] of pass.networks)
    for await (const rows of database.rows('device_queue')) {
      const devEUIs = [...new Set(rows.map((row) => textOfKey(row['dev_eui'])))];
      const stored = await redis.strings(devEUIs.map((devEUI) => `lora:ns:device:${devEUI}`));
      const sessions = new Map(devEUIs.map((devEUI, index) => [devEUI, sessionOf(stored[index])]));
      const devices = await rowsBy(
        database,
        'device',
        'dev_eui',
        rows.map((row) => row['dev_eui']),
        ['dev_eui', 'mode'],
      );
      yield importRows(pass, rows, {
        what,
        nameInReport: (row) => textOfKey(row['dev_eui']),
        toTargetRows: (row) => {
          const devEUI = hex(row, 'dev_eui', 8);
          const session = sessions.get(devEUI);
          if (pass.imported.devices.get(devEUI) !== networkServerID)
            throw new NotImportable('its device is not imported');
          if (!session) throw new NotImportable('its device has no session: enqueue it again when it has joined');
          if (bytes(row, 'dev_addr', 4).toHex() !== session.devAddr.toHex())
            throw new NotImportable('it is for an earlier session of its device');
          const item = itemOf(row, devEUI, sessionIDOf(devEUI, session));
          const mode = text(devices.get(devEUI) ?? {}, 'mode').trim();
          const wanted: TargetRow = {
            table: 'ns_queue_item',
            values: { network_server_id: networkServerID, ...queueItemColumns(item) },
            nameInReport: devEUI,
          };
          if (mode !== 'B' && mode !== 'C') return [wanted];
          const due = { network_server_id: networkServerID, kind: 'queue', key: devEUI, turn: 1 };
          const at = date(row, 'created_at').getTime();
          return [wanted, { table: 'ns_due', values: { ...due, due_at: at }, nameInReport: devEUI }];
        },
      });
    }
};

function sessionOf(stored: Uint8Array | null | undefined): SessionMessage | undefined {
  if (!stored) return undefined;
  try {
    const session = fromBinary(SessionMessage, stored);
    return session.devAddr.length === 4 ? session : undefined;
  } catch {
    // Sessions report it.
    return undefined;
  }
}

function itemOf(row: SourceRow, devEUI: string, sessionID: string): QueueItem {
  const given = row['frm_payload'];
  const frmPayload = given instanceof Uint8Array ? new Uint8Array(given) : new Uint8Array();
  if (frmPayload.length > longestPayload) throw new NotImportable('it is longer than any downlink');
  const emitAt = optionalNumber(row, 'emit_at_time_since_gps_epoch');
  return {
    // Each pass derives the same id.
    id: ownID(row).toString(16).padStart(32, '0'),
    devEUI,
    fCnt: whole(row, 'f_cnt', counterRange),
    fPort: whole(row, 'f_port', [1, 255]),
    frmPayload,
    confirmed: flag(row, 'confirmed'),
    sessionID,
    isForNextSession: false,
    hasLeft: flag(row, 'is_pending'),
    isPending: flag(row, 'is_pending'),
    attempts: 0,
    timeoutAt: optionalDate(row, 'timeout_after')?.getTime() ?? null,
    notBefore: optionalDate(row, 'retry_after')?.getTime() ?? null,
    pingSlotAt: emitAt === null ? null : Math.trunc(emitAt / nanosecondsPerMs),
  };
}
