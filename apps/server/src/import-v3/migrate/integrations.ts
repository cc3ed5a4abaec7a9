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
import { notKept, settingsOfKind } from '../integration-settings.ts';
import type { Carry, Move } from '../move.ts';

import { number, ownID, text, times } from '../read-row.ts';
import { isOfKind } from '../rules.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';
import { carryTable, LeftBehind } from './each-row.ts';

const what = 'integrations';

export const carryIntegrations: Carry = (move) =>
  carryTable(move, {
    what,
    database: move.database,
    table: 'integration',
    called: (row) => `${text(row, 'kind')} of application ${String(row['application_id'])}`,
    carry: (row) => [carryIntegration(move, row)],
  });

function carryIntegration(move: Move, row: SourceRow): WantedRow {
  const [id, applicationID] = [ownID(row), number(row, 'application_id')];
  const name = text(row, 'kind');
  if (!move.carried.applications.has(applicationID)) throw new LeftBehind('its application is not carried');
  if (!Object.hasOwn(integrationKinds, name)) throw new LeftBehind(`there is no kind ${name} of integration here`);
  const kind = integrationKinds[name as IntegrationKindName];
  const usual = move.file.text('application_server.integration.marshaler') || 'json_v3';
  const given = settingsOfKind(name as IntegrationKindName, row['settings'], usual);
  if (given === undefined) throw new LeftBehind('its settings cannot be read: make it anew here');
  const called = `${name} of application ${applicationID}`;
  const known = Object.entries(given).filter(([member]) => Object.hasOwn(kind.config.fields, member));
  const { fields }: Message = kind.config;
  for (const sentence of notKept(name as IntegrationKindName, row['settings'], Object.keys(given), fields))
    move.report.find('notice', what, sentence, called);
  if (!known.every(([member, value]) => isOfKind(value, fields[member]!)))
    throw new LeftBehind('its settings cannot be read: make it anew here');
  const message = complete(kind.config, {
    ...Object.fromEntries(known),
    applicationID: String(applicationID),
  } as never);
  const config = configOf(move, called, () => acceptConfig(kind, parseMessage(kind.config, message) as never), message);
  const { config: open, parts } = splitSecrets(kind.config, config);
  return {
    table: 'integration',
    values: { ...times(row), id, application_id: applicationID, kind: name, config: open, revision: 1 },
    sealed: { secrets: { plain: encodeSecrets(parts), purpose: secretsPurpose(id) } },
    called,
  };
}

/** What would be refused today works on as it is, as far as it did. */
function configOf(
  { report }: Move,
  called: string,
  accept: () => Record<string, unknown>,
  message: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  try {
    return accept();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    report.find('notice', what, 'carried as it is, and refused when it is edited: look at its settings', called);
    const { applicationID: _, ...config } = message;
    return config;
  }
}
