import { APIKey, parseMessage } from '@hilltop/contract';
import { changesBetween } from '../audit/changes.ts';
import { isTokenKeyOf } from '../database/key-check.ts';
import { Violation } from '../database/violation.ts';
import { createTokens } from '../identity/tokens.ts';
import { insertAPIKey, newAPIKey, scopeOf } from '../resources/api-key/store.ts';
import { loadSecrets } from '../secrets.ts';
import { StartError, wrongTokenKey } from '../start-error.ts';
import { auditCommand } from './audit.ts';
import type { CommandDependencies, CommandResult, NewKeyOptions } from './command-line.ts';

const dayMs = 86_400_000;

/** Creates an API key of one scope: everything, an organization or an application. */
export async function createAPIKey(
  needs: CommandDependencies,
  name: string,
  { organizationID, applicationID, access, days }: NewKeyOptions,
): Promise<CommandResult> {
  const { database, config, now } = needs;
  const isAdmin = organizationID === '0' && applicationID === '0';
  const key = parseMessage(APIKey, { name, isAdmin, organizationID, applicationID });
  const secrets = await loadSecrets(config.data, config, ['encryptionKeyFile', 'tokenKeyFile']);
  if (!(await isTokenKeyOf(database, secrets, { isAlone: false }))) throw wrongTokenKey();
  const scope = scopeOf(key);
  const expiry = days === undefined ? null : new Date(now.getTime() + days * dayMs);
  const row = newAPIKey({ ...scope, name: key.name, access, expires_at: expiry, created_by: 'command line' }, now);
  const { id } = row;
  await database
    .transaction(async () => {
      await insertAPIKey(database, row);
      await auditCommand(needs, {
        operation: 'internal.createAPIKey',
        subject: { kind: 'apiKey', id, name: key.name },
        ...(scope.organization_id !== null && { organizationID: scope.organization_id }),
        changes: changesBetween(APIKey.fields, null, { ...key, id, access, expiresAt: expiry?.toISOString() }),
      });
    })
    .catch((error: unknown) => {
      if (!(error instanceof Violation && error.kind === 'missing')) throw error;
      throw new StartError('There is no such organization or application.');
    });
  const token = await createTokens(secrets.tokenKey, () => now).ofKey(id, now);
  return { text: `API key ${id} (${key.name}) was created with this token.`, secret: token };
}
