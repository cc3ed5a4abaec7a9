import { type ImportV3Report, invalidFields, type Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { findingKinds, type Report, settingLines } from '../../import-v3/report/report.ts';
import { importObstacle } from '../../import-v3/target/progress.ts';
import { createUploadedDryRun } from '../../import-v3/upload/run.ts';
import { ownPortsOf, type TCPListeners } from '../../outgoing/own-ports.ts';

/** The dry run of an import from version 3. */
export function importV3Routes({
  config,
  database,
}: {
  config: TCPListeners;
  database: Database;
}): Handlers<Operations['importV3']> {
  const dryRun = createUploadedDryRun();
  return {
    dryRun: async ({ applicationServer, networkServers }) => {
      const files = [applicationServer, ...networkServers];
      const twice = files.findIndex(({ name }, index) => files.findIndex((one) => one.name === name) < index);
      if (twice > 0)
        throw invalidFields([
          { field: `networkServers[${twice - 1}].name`, description: 'Two files have this name. Rename one of them.' },
        ]);
      const obstacle = await importObstacle(database);
      const report = await dryRun({ files, ownPorts: ownPortsOf(config) });
      const { sources, counts, findings, settings } = toAnswer(report);
      const here = { kind: findingKinds.stops, what: 'this Hilltop', because: obstacle ?? '', count: 1, examples: [] };
      return { sources, counts, findings: obstacle ? [here, ...findings] : findings, settings };
    },
  };
}

function toAnswer({ sources, counts, findings, settings }: Report): ImportV3Report {
  return {
    sources,
    counts,
    findings: findings.map((finding) => ({ ...finding, kind: findingKinds[finding.kind] })),
    settings: settingLines({ settings }),
  };
}
