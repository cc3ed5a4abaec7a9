import type { Records } from '@hilltop/network-server';
import { recordBody, recordPurpose } from '../../network/record-rows.ts';
import type { WantedRow } from '../wanted.ts';

/** A record of a network server inside this process. */
export function recordRow<K extends keyof Records>(
  networkServerID: number,
  of: K,
  id: string,
  value: Records[K],
): WantedRow {
  return {
    table: 'ns_record',
    values: { network_server_id: networkServerID, kind: of, id },
    sealed: { body: { plain: recordBody(value), purpose: recordPurpose(networkServerID, of, id) } },
    called: `${of} ${id}`,
  };
}
