import {
  ApiError,
  complete,
  type IntegrationKindName,
  integrationKinds,
  type Message,
  parseMessage,
} from '@hilltop/contract';
import { acceptConfig } from '../../integrations/accept-config.ts';
import { encodeSecrets, secretsPurpose, splitSecrets } from '../../integrations/secrets.ts';
import type { SourceRow } from '../source/postgres.ts';
import { number, ownID, text, times } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { isOfKind } from './contract-rules.ts';
import { importTable, NotImportable } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';
import { changedSettings, settingsOfKind } from './integration-settings.ts';

const what = 'integrations';

export const importIntegrations: ImportStep = (pass) =>
  importTable(pass, {
    what,
    database: pass.database,
    table: 'integration',
    nameInReport: (row) => `${text(row, 'kind')} of application ${String(row['application_id'])}`,
    toTargetRows: (row) => [importIntegration(pass, row)],
  });

function importIntegration(pass: ImportPass, row: SourceRow): TargetRow {
  const [id, applicationID] = [ownID(row), number(row, 'application_id')];
  const name = text(row, 'kind');
  if (!pass.imported.applications.has(applicationID)) throw new NotImportable('its application is not imported');
  if (!Object.hasOwn(integrationKinds, name)) throw new NotImportable(`Hilltop has no integration of the kind ${name}`);
  const kind = integrationKinds[name as IntegrationKindName];
  const usual = pass.file.text('application_server.integration.marshaler') || 'json_v3';
  const given = settingsOfKind(name as IntegrationKindName, row['settings'], usual);
  if (given === undefined) throw new NotImportable('its settings cannot be read: create it in Hilltop');
  const nameInReport = `${name} of application ${applicationID}`;
  const known = Object.entries(given).filter(([member]) => Object.hasOwn(kind.config.fields, member));
  const { fields }: Message = kind.config;
  for (const sentence of changedSettings(name as IntegrationKindName, row['settings'], Object.keys(given), fields))
    pass.report.find('notice', what, sentence, nameInReport);
  if (!known.every(([member, value]) => isOfKind(value, fields[member]!)))
    throw new NotImportable('its settings cannot be read: create it in Hilltop');
  const message = complete(kind.config, {
    ...Object.fromEntries(known),
    applicationID: String(applicationID),
  } as never);
  const config = configOf(
    pass,
    nameInReport,
    () => acceptConfig(kind, parseMessage(kind.config, message) as never),
    message,
  );
  const { config: open, parts } = splitSecrets(kind.config, config);
  return {
    table: 'integration',
    values: { ...times(row), id, application_id: applicationID, kind: name, config: open, revision: 1 },
    sealed: { secrets: { plain: encodeSecrets(parts), purpose: secretsPurpose(id) } },
    nameInReport,
  };
}

/** Settings that the contract refuses still work as far as they did in version 3. */
function configOf(
  { report }: ImportPass,
  nameInReport: string,
  accept: () => Record<string, unknown>,
  message: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  try {
    return accept();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    report.find('notice', what, 'imported unchanged, and refused when it is edited: check its settings', nameInReport);
    const { applicationID: _, ...config } = message;
    return config;
  }
}
