import type { SignInPage } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { BrandingSettings } from '../../http/settings.ts';

interface SignInPageDependencies {
  config: Pick<BrandingSettings, 'brandingName'>;
  database: Database;
}

/** Anybody may read this. It names no user and no setting that protects the installation. */
export async function readSignInPage({ config, database }: SignInPageDependencies): Promise<SignInPage> {
  return { installationName: config.brandingName, isFirstStart: await isUntouched(database) };
}

/**
 * Whether nobody has signed in yet. Sessions are removed when they end, so what somebody would have left behind counts
 * as well: another user, a changed account, an API key, a gateway or an application.
 */
async function isUntouched({ query }: Database): Promise<boolean> {
  const users = await query.selectFrom('user').select(['created_at', 'updated_at']).limit(2).execute();
  const [first] = users;
  if (users.length !== 1 || first?.created_at.getTime() !== first?.updated_at.getTime()) return false;
  for (const table of ['session', 'api_key', 'gateway', 'application'] as const) {
    const row = await query.selectFrom(table).select('id').limit(1).executeTakeFirst();
    if (row) return false;
  }
  return true;
}
