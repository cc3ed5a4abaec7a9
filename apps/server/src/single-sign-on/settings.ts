import { z } from 'zod';
import { checkedText, flag } from '../setting-schemas.ts';
import { readGroupRoles } from './group-roles.ts';

/** The path to which the provider redirects browsers. */
export const callbackPath = '/auth/oidc/callback';

const isWeb = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const web = z
  .string()
  .refine((text) => text === '' || isWeb(text), 'must be a URL such as https://login.example.org')
  .default('');

/** Single sign-on by OpenID Connect is on when a provider is named. */
export const singleSignOnSettings = {
  oidcProviderURL: web.meta({ help: 'issuer of the OpenID Connect provider; empty: no single sign-on' }),
  oidcClientID: z.string().default('').meta({ help: 'client ID of this server at the provider' }),
  oidcClientSecret: z.string().default('').meta({ help: 'client secret of this server at the provider', secret: true }),
  oidcRedirectURL: web.meta({
    help: `address of this server for the return from the provider, ending in ${callbackPath}`,
  }),
  oidcLogoutURL: web.meta({ help: 'address to which browsers go after signing out' }),
  oidcLoginLabel: z.string().default('').meta({ help: 'text of the sign-in button' }),
  oidcRegistration: flag
    .default(false)
    .meta({ help: 'true: unknown people become users, without rights; invited people always do' }),
  oidcRegistrationCallbackURL: web.meta({
    help: 'address that receives each new user; any answer but 200 removes the user',
  }),
  oidcUseUserinfo: flag.default(true).meta({ help: 'false: claims are read from the ID token only' }),
  oidcAssumeEmailVerified: flag
    .default(false)
    .meta({ help: 'true: e-mail addresses count as verified, for a provider that does not say so' }),
  oidcGroupRoles: checkedText((text) => void readGroupRoles(text), '', {
    help: 'JSON object of groups at the provider and the roles they give; empty: groups are not read',
  }),
  oidcGroupsClaim: z
    .string()
    .min(1, 'must not be empty')
    .default('groups')
    .meta({ help: 'claim that lists the groups of a person' }),
};

const shape = z.object(singleSignOnSettings);
export type SingleSignOnSettings = z.infer<typeof shape>;
type Key = keyof SingleSignOnSettings;

const keys = Object.keys(singleSignOnSettings) as Key[];
const defaults = shape.parse({});

/** Settings that do not fit together: the one to change, and the problem. Undefined when all fit. */
export function inconsistency(given: SingleSignOnSettings): { key: Key; message: string } | undefined {
  if (given.oidcProviderURL === '') {
    if (keys.every((key) => given[key] === defaults[key])) return undefined;
    return { key: 'oidcProviderURL', message: 'must be set when other settings of HILLTOP_OIDC_ are' };
  }
  for (const key of ['oidcClientID', 'oidcRedirectURL'] as const)
    if (given[key] === '') return { key, message: 'must be set when HILLTOP_OIDC_PROVIDER_URL is' };
  if (!new URL(given.oidcRedirectURL).pathname.endsWith(callbackPath))
    return { key: 'oidcRedirectURL', message: `must end in ${callbackPath}` };
  if (given.oidcRegistrationCallbackURL !== '' && !given.oidcRegistration)
    return { key: 'oidcRegistration', message: 'must be true when HILLTOP_OIDC_REGISTRATION_CALLBACK_URL is set' };
  return undefined;
}
