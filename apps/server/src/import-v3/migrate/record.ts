import type { Records } from '@hilltop/network-server';
import { recordBody, recordPurpose } from '../../network/record-cache.ts';
import type { TargetRow } from '../target/target-rows.ts';

/** A record of an embedded network server. */
export function recordRow<K extends keyof Records>(
  networkServerID: number,
  of: K,
  id: string,
  value: Records[K],
): TargetRow {
  return {
    table: 'ns_record',
    values: { network_server_id: networkServerID, kind: of, id },
    sealed: { body: { plain: recordBody(value), purpose: recordPurpose(networkServerID, of, id) } },
    nameInReport: `${of} ${id}`,
  };
}
