/** Rows of Hilltop tables as the import writes them. */
import type { Tables } from '../../database/tables.ts';
import type { SourceRow } from '../source/postgres.ts';

export interface TargetTable {
  /** The key columns. */
  key: readonly string[];
  /** The key column by which stored rows are selected. */
  by: string;
  /** Columns that are written with a new row, and neither compared nor changed later. */
  once?: readonly string[];
  /** Columns with numbers that never decrease. */
  growing?: readonly string[];
  /** An existing row is never changed. */
  stays?: true;
  /** Whether a stored row has changed since it was imported. No pass may change it then. */
  hasChangedSince?: (stored: SourceRow) => boolean;
  /** Whether rows that are removed in version 3 are removed in Hilltop as well. */
  follows?: true;
}

/** In the order in which rows can be written: a referenced table comes first. */
export const targetTables = {
  network_server: { key: ['id'], by: 'id', follows: true },
  network_radio: { key: ['network_server_id'], by: 'network_server_id' },
  user: { key: ['id'], by: 'id', follows: true },
  organization: { key: ['id'], by: 'id', once: ['gateway_count', 'device_count'], follows: true },
  organization_user: { key: ['organization_id', 'user_id'], by: 'organization_id', follows: true },
  service_profile: { key: ['id'], by: 'id', follows: true },
  device_profile: { key: ['id'], by: 'id', follows: true },
  gateway_profile: { key: ['id'], by: 'id', follows: true },
  application: { key: ['id'], by: 'id', once: ['device_count', 'created_at', 'updated_at'], follows: true },
  api_key: { key: ['id'], by: 'id', follows: true },
  integration: { key: ['id'], by: 'id', once: ['revision'], follows: true },
  gateway: { key: ['id'], by: 'id', follows: true },
  device: { key: ['dev_eui'], by: 'dev_eui', follows: true },
  device_keys: { key: ['dev_eui'], by: 'dev_eui', growing: ['join_nonce'], follows: true },
  multicast_group: { key: ['id'], by: 'id', follows: true },
  multicast_group_device: { key: ['multicast_group_id', 'dev_eui'], by: 'multicast_group_id', follows: true },
  ns_record: { key: ['network_server_id', 'kind', 'id'], by: 'id', follows: true },
  ns_multicast_counter: { key: ['network_server_id', 'group_id'], by: 'group_id', growing: ['f_cnt'] },
  ns_multicast_member: { key: ['network_server_id', 'group_id', 'dev_eui'], by: 'group_id', follows: true },
  ns_activation: {
    key: ['network_server_id', 'dev_eui', 'join_eui', 'join_type', 'dev_nonce'],
    by: 'dev_eui',
    stays: true,
  },
  ns_session: {
    key: ['network_server_id', 'dev_eui', 'role'],
    by: 'dev_eui',
    hasChangedSince: ({ revision }) => Number(revision) > 0,
    follows: true,
  },
  ns_queue_item: { key: ['network_server_id', 'dev_eui', 'id'], by: 'dev_eui', follows: true },
  ns_due: { key: ['network_server_id', 'kind', 'key'], by: 'key', stays: true },
  metric: { key: ['subject', 'interval', 'start'], by: 'subject' },
} as const satisfies Partial<Record<keyof Tables, TargetTable>>;

export type TargetName = keyof typeof targetTables;

export interface TargetRow {
  table: TargetName;
  /** By column, without the sealed ones. */
  values: Readonly<Record<string, unknown>>;
  /** Columns that are stored sealed. Empty bytes stay empty. */
  sealed?: Readonly<Record<string, { plain: Uint8Array; purpose: string }>>;
  /** Its name in reports, such as an EUI or name. */
  nameInReport: string;
}

/** The key of a row, unique within its table. */
export function keyOf(table: TargetName, values: SourceRow): string {
  let text = '';
  for (const column of targetTables[table].key) text += `${text && '/'}${String(values[column])}`;
  return text;
}
