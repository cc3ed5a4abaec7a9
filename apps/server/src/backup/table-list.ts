import type { Tables } from '../database/tables.ts';
import type { HistoryTables } from '../history/tables.ts';

/** `always`: in each backup. `history`: with `--with-history`. Otherwise why the table is left out. */
type Part = 'always' | 'history' | { readonly leftOut: string };
export type BackupTable = keyof Tables | keyof HistoryTables;

const index = { leftOut: 'an index, which the database fills itself' } as const;

/** Every table, by what a backup does with it. */
export const backupTables: Readonly<Record<BackupTable, Part>> = {
  alert: 'always',
  alert_cursor: 'always',
  alert_message: 'always',
  alert_receiver: 'always',
  alert_rule: 'always',
  alert_unsubscription: 'always',
  api_key: 'always',
  application: 'always',
  application_search: index,
  audit: 'always',
  client_certificate: 'always',
  codec_vectors: 'always',
  command_taken: { leftOut: 'commands of the last minutes' },
  condition: 'always',
  condition_evaluation: 'always',
  delivery_log: 'history',
  delivery_parked: 'always',
  delivery_replay: 'always',
  device: 'always',
  device_keys: 'always',
  device_profile: 'always',
  device_search: index,
  downlink: 'always',
  download: { leftOut: 'links that end after a minute' },
  duty_cycle_use: 'always',
  event: 'history',
  event_block: 'history',
  event_mark: 'history',
  file_import: 'always',
  file_import_row: 'always',
  gateway: 'always',
  gateway_airtime: 'history',
  gateway_outage: 'always',
  gateway_ping: 'always',
  gateway_ping_rx: 'always',
  gateway_ping_try: 'always',
  gateway_profile: 'always',
  gateway_search: index,
  hidden_unknown_device: 'always',
  history_state: 'history',
  import_v3: 'always',
  installation: 'always',
  instance: { leftOut: 'the processes that run' },
  integration: 'always',
  integration_state: 'always',
  invitation: 'always',
  job: 'always',
  job_row: 'always',
  join_log: 'always',
  key_check: 'always',
  last_error: 'always',
  library: 'always',
  library_codec: 'always',
  library_model: 'always',
  library_use: 'always',
  library_vendor: 'always',
  metric: 'history',
  metric_fact: 'history',
  metric_fold: 'history',
  multicast_group: 'always',
  multicast_group_device: 'always',
  network_radio: 'always',
  network_server: 'always',
  ns_activation: 'always',
  ns_due: 'always',
  ns_journal: { leftOut: 'uplinks that are processed within a second' },
  ns_multicast_counter: 'always',
  ns_multicast_item: 'always',
  ns_multicast_member: 'always',
  ns_multicast_rest: 'always',
  ns_queue_item: 'always',
  ns_record: 'always',
  ns_session: 'always',
  organization: 'always',
  organization_search: index,
  organization_user: 'always',
  own_certificate: 'always',
  registered_region: 'always',
  retention: 'always',
  series_day: 'history',
  series_device: 'history',
  server_run: 'always',
  service_profile: 'always',
  session: { leftOut: 'sessions of users, which end with a restore' },
  trash: 'always',
  trash_row: 'always',
  unknown_device: 'always',
  unknown_device_left_out: 'always',
  used_sign_on: 'always',
  user: 'always',
  view: 'always',
};

/** On SQLite these are in `history.db`. */
const inHistoryFile: ReadonlySet<string> = new Set<keyof HistoryTables>([
  'event_block',
  'history_state',
  'series_day',
  'series_device',
]);

export const isInHistoryFile = (table: string): boolean => inHistoryFile.has(table);

export function tablesToCopy({ withHistory }: { withHistory: boolean }): string[] {
  const isCopied = (part: Part) => part === 'always' || (withHistory && part === 'history');
  return Object.entries(backupTables).flatMap(([name, part]) => (isCopied(part) ? [name] : []));
}
