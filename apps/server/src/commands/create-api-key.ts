import { APIKey, keyAccessLevels, parseMessage } from '@hilltop/contract';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { isTokenKeyOf } from '../database/key-check.ts';
import { Violation } from '../database/violation.ts';
import { createTokens } from '../identity/tokens.ts';
import { insertAPIKey, newAPIKey, scopeOf } from '../resources/api-key/store.ts';
import { loadSecrets } from '../secrets.ts';
import { StartError, wrongTokenKey } from '../start-error.ts';
import type { CommandLine, CommandResult } from './command-line.ts';

const mostDays = 3650;
const dayMs = 86_400_000;

interface CreateKeyDependencies {
  database: Database;
  config: Config;
  now: Date;
}

/** Creates an API key of one scope: everything, an organization or an application. */
export async function createAPIKey(
  { database, config, now }: CreateKeyDependencies,
  name: string,
  { organization = '0', application = '0', access = 'FULL', expires }: CommandLine['options'],
): Promise<CommandResult> {
  const level = keyAccessLevels.find((one) => one === access.toUpperCase());
  if (!level) throw new StartError(`--access must be one of ${keyAccessLevels.join(', ')}.`);
  const days = expires === undefined ? undefined : Number(expires);
  if (days !== undefined && !(Number.isInteger(days) && days >= 1 && days <= mostDays))
    throw new StartError(`--expires must be a whole number of days from 1 to ${mostDays}.`);
  for (const [option, id] of Object.entries({ organization, application }))
    if (!/^\d{1,18}$/.test(id)) throw new StartError(`--${option} must be the number of the ${option}.`);
  const isAdmin = organization === '0' && application === '0';
  const key = parseMessage(APIKey, { name, isAdmin, organizationID: organization, applicationID: application });
  const secrets = await loadSecrets(config.data, config, ['encryptionKeyFile', 'tokenKeyFile']);
  if (!(await isTokenKeyOf(database, secrets, { isAlone: false }))) throw wrongTokenKey();
  const row = {
    ...scopeOf(key),
    name: key.name,
    access: level,
    expires_at: days === undefined ? null : new Date(now.getTime() + days * dayMs),
    created_by: 'command line',
  };
  const id = await insertAPIKey(database, newAPIKey(row, now)).catch((error: unknown) => {
    if (!(error instanceof Violation && error.kind === 'missing')) throw error;
    throw new StartError(isAdmin ? error.message : 'There is no such organization or application.');
  });
  const token = await createTokens(secrets.tokenKey, () => now).ofKey(id, now);
  return { text: `API key ${id} (${key.name}) was created with this token.`, secret: token };
}
