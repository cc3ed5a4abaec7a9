import { region } from '@hilltop/lorawan';
import type { Clock } from '@hilltop/network-server';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import { checkNewPassword } from './passwords/new-password.ts';
import { generatePassword, hashPassword } from './passwords/password.ts';
import { firstOrganization } from './resources/organization/first-organization.ts';
import { insertOrganization } from './resources/organization/store.ts';
import { insertMember } from './resources/organization-member/store.ts';
import { addEmbedded } from './resources/radio/routes.ts';
import { chosenPassword, generatedPassword, insertUser } from './resources/user/store.ts';
import { StartError } from './start-error.ts';

interface FirstStartDependencies {
  config: Pick<Config, 'adminEmail' | 'adminPassword' | 'region'>;
  database: Database;
  clock: Clock;
}

/** The credentials of the first administrator; the password only if it was generated here and must be shown. */
export interface FirstAdministrator {
  email: string;
  password: string | undefined;
}

/** Creates an administrator and an organization while there is no user. Undefined when there is one. */
export async function addFirstAdministrator({
  config,
  database,
  clock,
}: FirstStartDependencies): Promise<FirstAdministrator | undefined> {
  const someone = await database.query.selectFrom('user').select('id').limit(1).executeTakeFirst();
  if (someone) return undefined;
  const password = config.adminPassword || generatePassword();
  await checkNewPassword(password, config.adminEmail).catch((error: Error) => {
    throw new StartError(`HILLTOP_ADMIN_PASSWORD is not good: ${error.message}`);
  });
  const passwordHash = await hashPassword(password, 'first start');
  const now = clock.now();
  const times = { created_at: now, updated_at: now };
  await database.transaction(async () => {
    const userID = await insertUser(database, {
      ...times,
      email: config.adminEmail,
      external_id: null,
      email_verified: false,
      ...(config.adminPassword ? chosenPassword : generatedPassword)(passwordHash),
      is_admin: true,
      is_active: true,
      session_ttl_minutes: 0,
      note: '',
    });
    const organizationID = await insertOrganization(database, {
      ...times,
      name: firstOrganization.name,
      display_name: firstOrganization.displayName,
      can_have_gateways: firstOrganization.canHaveGateways,
      max_gateway_count: 0,
      max_device_count: 0,
    });
    const rights = { isAdmin: true, isDeviceAdmin: false, isGatewayAdmin: false };
    await insertMember(database, { organizationID, userID, rights, now });
  });
  return { email: config.adminEmail, password: config.adminPassword ? undefined : password };
}

/** Creates a network server for each entry of HILLTOP_REGION once: a deleted one is not created again. */
export async function registerRegions({ config, database, clock }: FirstStartDependencies): Promise<void> {
  await database.transaction(async () => {
    for (const { name, subBand } of config.region) {
      const entry = subBand === 0 ? name : `${name}:${subBand}`;
      const { numInsertedOrUpdatedRows } = await database.query
        .insertInto('registered_region')
        .values({ entry })
        .onConflict((on) => on.doNothing())
        .executeTakeFirstOrThrow();
      if (Number(numInsertedOrUpdatedRows) === 0) continue;
      const called = subBand === 0 ? `${name} (embedded)` : `${name} sub-band ${subBand} (embedded)`;
      await addEmbedded({ database, now: clock.now() }, { name: called, band: region(name), subBand, netID: '' });
    }
  });
}
