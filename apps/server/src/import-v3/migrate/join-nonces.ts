import { isDeepStrictEqual } from 'node:util';
import type { DevNonceUse } from '@hilltop/network-server';
import type { Extent } from '../source/postgres.ts';

import { date, hex, number, whole } from '../source/read-row.ts';
import { importTable, NotImportable, textOfKey } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';

export const joinTypes: Readonly<Record<number, DevNonceUse['joinType']>> = {
  255: 'join',
  0: 'rejoin0',
  1: 'rejoin1',
  2: 'rejoin2',
};

const [what, table] = ['join nonces', 'device_activation'];

/**
 * All used DevNonces, so that a recorded join-request is not answered again. They never change and there may be very
 * many, so the last pass reads only those added since the pass before.
 */
export const importJoinNonces: ImportStep = async function* (pass) {
  const count = pass.report.count(what);
  const before = seenBefore(pass);
  const extents = new Map<number, Extent>();
  for (const [networkServerID, { database }] of pass.networks) {
    extents.set(networkServerID, await database.extent(table));
    const seen = before?.get(networkServerID);
    const isAsBefore = seen && isDeepStrictEqual(await database.extent(table, seen.last), seen);
    if (isAsBefore) for (const one of ['inV3', 'same'] as const) count[one] += seen.rows;
    yield* importTable(pass, {
      what,
      database,
      table,
      ...(isAsBefore && { after: seen.last }),
      nameInReport: (row) => textOfKey(row['dev_eui']),
      toTargetRows: (row) => {
        const devEUI = hex(row, 'dev_eui', 8);
        const joinType = joinTypes[number(row, 'join_req_type')];
        if (pass.imported.devices.get(devEUI) !== networkServerID)
          throw new NotImportable('its device is not imported');
        if (joinType === undefined) throw new NotImportable('the kind of join is unknown');
        return [
          {
            table: 'ns_activation',
            values: {
              network_server_id: networkServerID,
              dev_eui: devEUI,
              join_type: joinType,
              join_eui: hex(row, 'join_eui', 8),
              dev_nonce: whole(row, 'dev_nonce', [0, 0xff_ff]),
              dev_addr: hex(row, 'dev_addr', 4),
              at: date(row, 'created_at').getTime(),
            },
            nameInReport: devEUI,
          },
        ];
      },
    });
  }
  if (pass.memory && count.notCarried === 0) pass.memory.joins = { devices: pass.imported.devices, extents };
};

/**
 * Undefined when all have to be read: in the first pass, when some were not imported, or when other devices are
 * imported now.
 */
function seenBefore({ memory, isShort, imported }: ImportPass): Map<number, Extent> | undefined {
  if (!isShort || !memory?.joins) return undefined;
  const { devices, extents } = memory.joins;
  for (const [devEUI, networkServerID] of imported.devices)
    if (devices.has(devEUI) && devices.get(devEUI) !== networkServerID) return undefined;
  return extents;
}
