import type { Choice, ImportTarget } from '../import.ts';
import { type ImportPass, noImportedRecords } from '../migrate/import-pass.ts';
import { type Phase, phases } from '../phases.ts';
import { createReport, type ReportBook } from '../report/report.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { Sources } from '../sources.ts';
import { keyOf, type TargetName } from '../target/target-rows.ts';

/** What people configure, by the table that has it. */
interface Configured {
  what: string;
  table: TargetName;
  /** Of `table`: by them a row is known, as the import knows it. */
  key: readonly string[];
  /** A column beside its key by which people know it. */
  name?: string;
  /** Version 3 has rows of its own, of which some may be gone here. Otherwise they are parts of others. */
  isPart?: true;
  /** Rows that say when they were changed. */
  tellsChange?: true;
  /** Rows without a value in this column come from the settings of the server: nobody made them. */
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
  made: 'made here since the move: the old servers do not know it',
  changed: 'changed here since the move: the old servers have it as it was',
  removed: 'removed here since the move: the old servers still have it',
} as const;
type Kind = keyof typeof sentences;

type Opened = NonNullable<Sources['opened']>;
type Write = (text: string) => Promise<void>;

/**
 * Says what people configured here since the move was finished: the report has the first ones, what is written has all.
 * Version 3 gets none of it.
 */
export async function listConfigured(
  opened: Opened,
  { database }: ImportTarget,
  { since, report, choice }: { since: Date; report: ReportBook; choice: Choice },
  write: Write,
): Promise<void> {
  const there = await importedKeys(opened, choice);
  await write(
    `Configured at Hilltop since the move was finished (${since.toISOString()}).\nThe old servers get none of it: what they need is to be made, changed or removed there by hand.\n`,
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
        // What a whole consists of is said with it.
        if (!isPart || isChanged) found.made.push(nameInReport(row));
      } else if (isChanged) found.changed.push(nameInReport(row));
    }
    found.removed.push(...known);
    for (const kind of Object.keys(sentences) as Kind[]) {
      if (found[kind].length === 0) continue;
      await write(`\n${what}, ${sentences[kind].split(':')[0]} (${found[kind].length}):\n`);
      for (const one of found[kind]) {
        report.find('not carried', what, sentences[kind], one);
        await write(`  ${one.replaceAll(/\p{Cc}/gu, ' ')}\n`);
      }
    }
  }
}

const ofTheRadio = new Set<Phase['name']>(['join nonces', 'sessions', 'queued downlinks', 'statistics']);

/** The keys of all rows that version 3 has and the move carries, by table. */
async function importedKeys(opened: Opened, choice: Choice): Promise<Map<TargetName, Set<string>>> {
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
