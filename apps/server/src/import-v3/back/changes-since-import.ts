import type { ImportOptions, ImportTarget } from '../import.ts';
import { type ImportPass, noImportedRecords } from '../migrate/import-pass.ts';
import { type Phase, phases } from '../phases.ts';
import { createReport, type ReportBook } from '../report/report.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { Sources } from '../sources.ts';
import { keyOf, type TargetName } from '../target/target-rows.ts';

/** The kinds of records that users configure, with their tables. */
interface Configured {
  what: string;
  table: TargetName;
  /** The key columns of `table`, the same as in the import. */
  key: readonly string[];
  /** A column next to the key that names a record for users. */
  name?: string;
  /**
   * Version 3 has rows of this table, some of which may have been removed in Hilltop. Other tables hold parts of such
   * rows.
   */
  isPart?: true;
  /** Whether rows have the time of their last change. */
  tellsChange?: true;
  /** Rows without a value in this column come from the settings of the server, not from a user. */
  madeWith?: string;
}

const configured: readonly Configured[] = [
  { what: 'network-servers', table: 'network_server', key: ['id'], name: 'name', tellsChange: true },
  { what: 'radio settings', table: 'network_radio', key: ['network_server_id'], isPart: true, tellsChange: true },
  { what: 'users', table: 'user', key: ['id'], name: 'email', tellsChange: true },
  { what: 'organizations', table: 'organization', key: ['id'], name: 'name', tellsChange: true },
  {
    what: 'organization users',
    table: 'organization_user',
    key: ['organization_id', 'user_id'],
    tellsChange: true,
  },
  { what: 'service-profiles', table: 'service_profile', key: ['id'], name: 'name', tellsChange: true },
  { what: 'device-profiles', table: 'device_profile', key: ['id'], name: 'name', tellsChange: true },
  { what: 'gateway-profiles', table: 'gateway_profile', key: ['id'], name: 'name', tellsChange: true },
  { what: 'applications', table: 'application', key: ['id'], name: 'name', tellsChange: true },
  { what: 'API keys', table: 'api_key', key: ['id'], name: 'name' },
  {
    what: 'integrations',
    table: 'integration',
    key: ['id'],
    name: 'kind',
    tellsChange: true,
    madeWith: 'application_id',
  },
  { what: 'gateways', table: 'gateway', key: ['id'], name: 'name', tellsChange: true },
  { what: 'devices', table: 'device', key: ['dev_eui'], name: 'name', tellsChange: true },
  { what: 'keys of devices', table: 'device_keys', key: ['dev_eui'], isPart: true, tellsChange: true },
  { what: 'multicast-groups', table: 'multicast_group', key: ['id'], name: 'name', tellsChange: true },
  { what: 'multicast-group devices', table: 'multicast_group_device', key: ['multicast_group_id', 'dev_eui'] },
];

const sentences = {
  made: 'created in Hilltop since the import: the old servers do not know it',
  changed: 'changed in Hilltop since the import: the old servers have the old values',
  removed: 'removed in Hilltop since the import: the old servers still have it',
} as const;
type Kind = keyof typeof sentences;

type Opened = NonNullable<Sources['opened']>;
type Write = (text: string) => Promise<void>;

/**
 * Lists what users configured since the import was finished. The report has the first ones, the file has all. Nothing
 * of it is written to version 3.
 */
export async function listConfigured(
  opened: Opened,
  { database }: ImportTarget,
  { since, report, choice }: { since: Date; report: ReportBook; choice: ImportOptions },
  write: Write,
): Promise<void> {
  const there = await importedKeys(opened, choice);
  await write(
    `Configured in Hilltop since the import was finished (${since.toISOString()}).\nThe old servers get none of it: create, change or remove by hand what they need.\n`,
  );
  for (const { what, table, key, name, isPart, tellsChange, madeWith } of configured) {
    const columns = [...key, ...(name ? [name] : []), ...(tellsChange ? ['updated_at'] : [])];
    const all = database.query.selectFrom(table as 'device').select(columns as 'dev_eui'[]);
    const made = madeWith ? all.where(madeWith as 'dev_eui', 'is not', null) : all;
    const rows = (await made.execute()) as unknown as SourceRow[];
    const known = there.get(table) ?? new Set<string>();
    const found: Record<Kind, string[]> = { made: [], changed: [], removed: [] };
    const nameInReport = (row: SourceRow) => [keyOf(table, row), ...(name ? [String(row[name])] : [])].join(' ');
    for (const row of rows) {
      const isKnown = known.delete(keyOf(table, row));
      const isChanged = tellsChange && (row['updated_at'] as Date).getTime() > since.getTime();
      if (!isKnown) {
        // Parts of a record are reported with the record.
        if (!isPart || isChanged) found.made.push(nameInReport(row));
      } else if (isChanged) found.changed.push(nameInReport(row));
    }
    found.removed.push(...known);
    for (const kind of Object.keys(sentences) as Kind[]) {
      if (found[kind].length === 0) continue;
      await write(`\n${what}, ${sentences[kind].split(':')[0]} (${found[kind].length}):\n`);
      for (const one of found[kind]) {
        report.find('not imported', what, sentences[kind], one);
        await write(`  ${one.replaceAll(/\p{Cc}/gu, ' ')}\n`);
      }
    }
  }
}

const ofTheRadio = new Set<Phase['name']>(['join nonces', 'sessions', 'queued downlinks', 'statistics']);

/** The keys of all rows that version 3 has and the import covers, by table. */
async function importedKeys(opened: Opened, choice: ImportOptions): Promise<Map<TargetName, Set<string>>> {
  const { downlinkMargin } = choice;
  const pass: ImportPass = {
    ...opened,
    report: createReport(),
    now: new Date(),
    downlinkMargin,
    isFinal: false,
    isShort: true,
    imported: noImportedRecords(),
  };
  const keys = new Map<TargetName, Set<string>>(configured.map(({ table }) => [table, new Set()]));
  for (const { name, run } of phases)
    if (!ofTheRadio.has(name))
      for await (const batch of run(pass))
        for (const { table, values } of batch) keys.get(table)?.add(keyOf(table, values));
  return keys;
}
