/** A dry run of an import from version 3. Not in the recorded API, which is the one of version 3. */
import { admins, globally } from './access.ts';
import { importV3Kinds, importV3LongestFile } from './import-v3-words.ts';
import { ownOperationsOf, post } from './operation.ts';
import { count, enumeration, list, listOf, message, needed, oneOf, text, type ValueOf } from './wire.ts';

const ImportV3File = message('hilltop.ImportV3File', {
  name: text({
    label: 'File name',
    required: true,
    maxLength: 100,
    pattern: '[\\w.+ \\-]+',
    message: 'May have letters, digits, spaces, points, plus signs, hyphens and underscores.',
  }),
  text: text({ label: 'Settings file', secret: true, maxLength: importV3LongestFile }),
  environment: text({
    label: 'Environment',
    help: 'Lines such as POSTGRESQL__DSN=…. They override the file.',
    secret: true,
    maxLength: 50_000,
  }),
});

const FindingKind = enumeration('hilltop.ImportV3FindingKind', importV3Kinds);

export const ImportV3Report = message('hilltop.ImportV3Report', {
  sources: listOf(
    message('hilltop.ImportV3Source', {
      what: text(),
      where: text({ help: 'Host, port and name of its database.' }),
      version: text(),
    }),
  ),
  counts: listOf(
    message('hilltop.ImportV3Count', {
      what: text(),
      inV3: count({ help: 'In version 3.' }),
      new: count(),
      changed: count({ help: 'Since an earlier pass; of a dry run always 0, as the two that follow.' }),
      same: count(),
      gone: count(),
      notCarried: count(),
    }),
  ),
  findings: listOf(
    message('hilltop.ImportV3Finding', {
      kind: oneOf(FindingKind, { help: 'STOPS: the import cannot run while there is one.' }),
      what: text({ help: 'What it is about, such as devices.' }),
      because: text({ help: 'Why, and what to do.' }),
      count: count(),
      examples: list(text(), { help: 'The first ones, by EUI, id or name.' }),
    }),
  ),
  settings: list(text(), { help: 'Lines for the environment that say what the files said, without secrets.' }),
});
export type ImportV3Report = ValueOf<typeof ImportV3Report>;

export const importV3 = ownOperationsOf('importV3', {
  dryRun: post('/api/import-v3/dry-run', {
    summary:
      'Read the version 3 installation that the given configuration files name, and report what an import would do; nothing is written or stored',
    request: message('hilltop.ImportV3DryRunRequest', {
      applicationServer: needed(ImportV3File, { label: 'Application server' }),
      networkServers: listOf(ImportV3File, {
        label: 'Network-servers',
        help: 'Network-servers that Hilltop replaces. Others continue to run.',
        maxEntries: 20,
      }),
    }),
    response: ImportV3Report,
    effect: 'read',
    access: globally(...admins),
  }),
});
