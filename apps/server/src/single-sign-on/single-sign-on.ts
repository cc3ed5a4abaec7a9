import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { AuditSettings } from '../audit/settings.ts';
import type { Database } from '../database/database.ts';
import type { Principals } from '../identity/principals.ts';
import type { UserSessionSettings } from '../identity/settings.ts';
import type { Metrics } from '../metrics.ts';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { openSession } from '../resources/session/session.ts';
import { deleteUser, type UserRow } from '../resources/user/store.ts';
import type { Secrets } from '../secrets.ts';
import { accountOf, personOf } from './account.ts';
import { applyGroups } from './apply-groups.ts';
import { readGroupRoles } from './group-roles.ts';
import { createProvider, type ProviderClaims } from './provider.ts';
import { askAboutRegistration } from './registration-callback.ts';
import type { SingleSignOnSettings } from './settings.ts';
import { createStartedSignOns } from './started-sign-ons.ts';

/** Sign-in with an OpenID Connect provider: the authorization code flow with PKCE, state and nonce. */
export interface SingleSignOn {
  /**
   * The URL of the provider for the browser with this mark. Rejects with code 14 while the provider cannot be reached.
   */
  start: (mark: string) => Promise<URL>;
  /**
   * Exchanges the response of the provider for a session token. The browser must present the mark it started with.
   * Every error tells the user what to do.
   */
  finish: (
    answer: { code: string; state: string },
    browser: { mark: string | undefined; address: string; headers: IncomingHttpHeaders; log: Logger },
  ) => Promise<string>;
}

interface SingleSignOnDependencies {
  config: AuditSettings & SingleSignOnSettings & UserSessionSettings;
  database: Database;
  principals: Principals;
  secrets: Secrets;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  outgoing: Outgoing;
}

export function createSingleSignOn(needed: SingleSignOnDependencies): SingleSignOn {
  const { config, database, principals, secrets, clock, metrics, log } = needed;
  const signOns = createStartedSignOns({ database, clock, tokenKey: secrets.tokenKey });
  const provider = createProvider(config, log);
  const groupRoles = readGroupRoles(config.oidcGroupRoles);
  const accounts = { database, principals, now: () => clock.now(), registration: config.oidcRegistration };

  async function userOf(
    { code, state }: { code: string; state: string },
    { mark, address }: { mark: string | undefined; address: string },
  ): Promise<UserRow> {
    const checks = await signOns.finish(state, mark);
    const claims = await provider.claimsOf(code, checks);
    const { user, isNew } = await accountOf(accounts, personOf(claims, config.oidcAssumeEmailVerified));
    if (isNew) await confirmRegistration(needed, user, claims);
    return applyGroups(needed, groupRoles, { user, claim: claims[config.oidcGroupsClaim], address });
  }

  return {
    start: async (mark) => provider.signInURL(await signOns.start(mark)),

    finish: async (answer, { mark, address, headers, log: callLog }) => {
      const details = { address, by: 'single sign-on' };
      try {
        const user = await userOf(answer, { mark, address });
        const token = await openSession(needed, user, { address, headers, isSingleSignOn: true });
        metrics.count('sign_ins', { result: 'done' });
        callLog.info({ account: `user ${user.id}`, ...details }, 'signed in');
        return token;
      } catch (error) {
        callLog.warn({ ...details, result: error instanceof ApiError ? error.status : 'failed' }, 'sign-in refused');
        throw error;
      }
    },
  };
}

/** Stores the new user before the call, so that the callback can add memberships. */
async function confirmRegistration(
  { config, database, outgoing, log }: SingleSignOnDependencies,
  user: UserRow,
  claims: ProviderClaims,
) {
  const address = config.oidcRegistrationCallbackURL;
  if (address === '') return;
  try {
    await askAboutRegistration(address, { userID: user.id, claims, outgoing });
  } catch (error) {
    log.warn({ reason: (error as Error).message }, 'the registration callback did not confirm a new user');
    await deleteUser(database, user.id);
    throw refusal('SIGN_ON_NOT_SET_UP');
  }
}
