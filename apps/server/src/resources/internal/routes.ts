import { type Operations, type Profile, refusal, type Settings, unauthenticated } from '@hilltop/contract';
import type { AuditSettings } from '../../audit/settings.ts';
import type { Database } from '../../database/database.ts';
import { cleanBranding } from '../../http/branding.ts';
import type { Handlers } from '../../http/call.ts';
import type { BrandingSettings } from '../../http/settings.ts';
import { toFilterID } from '../../identifiers.ts';
import type { UserSessionSettings } from '../../identity/settings.ts';
import { applicationLimit, memberOrganizations, visibleOrganizations } from '../../identity/visibility.ts';
import { markOf } from '../../single-sign-on/routes.ts';
import type { SingleSignOnSettings } from '../../single-sign-on/settings.ts';
import type { SingleSignOn } from '../../single-sign-on/single-sign-on.ts';
import { recordedAPIKeyRoutes } from '../api-key/routes.ts';
import { rightsOf, timesOf } from '../organization-member/store.ts';
import { fromRow, loadUser } from '../user/store.ts';
import { searchEverything } from './search.ts';
import { createSignIn, type SignInDependencies } from './sign-in.ts';
import { summarizeDevices, summarizeGateways } from './summary.ts';

type InternalSettings = AuditSettings & BrandingSettings & SingleSignOnSettings & UserSessionSettings;

interface InternalRoutesDependencies extends SignInDependencies {
  config: InternalSettings;
  singleSignOn: SingleSignOn | undefined;
}

/** Calls of the console that belong to no resource: sign-in, profile, search and counts. */
export function internalRoutes(needs: InternalRoutesDependencies): Handlers<Operations['internal']> {
  const { database, config, clock, singleSignOn } = needs;
  const signIn = createSignIn(needs);
  const settings = settingsOf(config);

  return {
    login: async (request, call) => ({ jwt: await signIn(request, call) }),

    openIDConnectLogin: async (request, { headers, address, log }) => {
      if (!singleSignOn) throw refusal('SIGN_ON_OFF');
      return { jwtToken: await singleSignOn.finish(request, { mark: markOf(headers, config), address, headers, log }) };
    },

    settings: () => settings,

    profile: async (_request, { principal }) => {
      if (principal?.kind !== 'user') throw unauthenticated();
      const user = await loadUser(database, principal.id);
      return {
        user: { ...fromRow(user), note: '' },
        organizations: await organizationLinks(needs, user.id),
        settings: await settings,
      };
    },

    globalSearch: async ({ search, limit, offset }, { principal }) => ({
      result: await searchEverything(database, {
        search,
        limit,
        offset,
        memberOf: memberOrganizations(principal),
        organizationIDs: visibleOrganizations(principal),
        within: applicationLimit(principal),
      }),
    }),

    getDevicesSummary: ({ organizationID }) =>
      summarizeDevices(database, { organizationID: toFilterID(organizationID), now: clock.now() }),

    getGatewaysSummary: ({ organizationID }) =>
      summarizeGateways(database, { organizationID: toFilterID(organizationID), now: clock.now() }),

    ...recordedAPIKeyRoutes(needs),
  };
}

async function organizationLinks(
  { database }: { database: Database },
  userID: number,
): Promise<Profile['organizations']> {
  const rows = await database.query
    .selectFrom('organization_user')
    .innerJoin('organization', 'organization.id', 'organization_user.organization_id')
    .selectAll('organization_user')
    .select('organization.name')
    .where('user_id', '=', userID)
    .orderBy('organization.name')
    .execute();
  return rows.map((row) => ({
    organizationID: String(row.organization_id),
    organizationName: row.name,
    ...rightsOf(row),
    ...timesOf(row),
  }));
}

async function settingsOf(config: BrandingSettings & SingleSignOnSettings): Promise<Settings> {
  return {
    branding: {
      registration: await cleanBranding(config.brandingRegistration),
      footer: await cleanBranding(config.brandingFooter),
    },
    openidConnect: {
      enabled: config.oidcProviderURL !== '',
      loginURL: '/auth/oidc/login',
      loginLabel: config.oidcLoginLabel,
      logoutURL: config.oidcLogoutURL,
    },
  };
}
