import { type ApiError, atField, refusal } from '@hilltop/contract';
import type * as client from 'openid-client';
import type { Logger } from 'pino';
import type { SingleSignOnSettings } from './settings.ts';
import type { Checks, StartedSignOn } from './started-sign-ons.ts';

/** The claims about a person. `sub` is always present; the rest is as the provider wrote it. */
export type ProviderClaims = Readonly<Record<string, unknown>> & { readonly sub: string };

/** The OpenID Connect provider. Its metadata is read when first needed: the provider may start after this server. */
export interface Provider {
  /** The URL for the browser. Rejects with code 14 while the provider cannot be reached. */
  signInURL: (started: StartedSignOn) => Promise<URL>;
  /**
   * Exchanges the code for the claims of the provider. Rejects with code 3 for an invalid code, 14 while the provider
   * cannot be reached, 13 when its configuration does not fit this server; the log then has the reason.
   */
  claimsOf: (code: string, checks: Checks) => Promise<ProviderClaims>;
}

const timeoutSeconds = 5;

/** Loaded late, because the library is large. */
type Library = typeof client;
const load = (): Promise<Library> => import('openid-client');

type Configurations = readonly [client.Configuration, ...client.Configuration[]];

export function createProvider(settings: SingleSignOnSettings, log: Logger): Provider {
  const redirectURL = new URL(settings.oidcRedirectURL).href;
  let known: Promise<Configurations> | undefined;

  function discovered(library: Library): Promise<Configurations> {
    known ??= discover(library, settings).catch((error: unknown) => {
      known = undefined;
      log.warn({ reason: reasonOf(error) }, 'the sign-in provider cannot be used');
      throw refusal('SIGN_ON_UNREACHABLE');
    });
    return known;
  }

  return {
    signInURL: async ({ state, nonce, verifier }) => {
      const library = await load();
      const [configuration] = await discovered(library);
      return library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectURL,
        scope: scopeOf(configuration, settings),
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
    },

    claimsOf: async (code, checks) => {
      const library = await load();
      const configurations = await discovered(library);
      try {
        const { tokens, configuration } = await exchange(library, configurations, { redirectURL, code }, checks);
        const claims = tokens.claims()!;
        if (!settings.oidcUseUserinfo) return claims;
        return { ...claims, ...(await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
      } catch (error) {
        log.warn({ reason: reasonOf(error) }, 'the sign-in provider did not confirm a sign-in');
        throw toApiError(library, error);
      }
    },
  };
}

/** Some providers send groups for a scope of that name, others refuse a scope that they do not know. */
function scopeOf(
  configuration: client.Configuration,
  { oidcGroupRoles, oidcGroupsClaim }: SingleSignOnSettings,
): string {
  const usual = 'openid profile email';
  const known = configuration.serverMetadata().scopes_supported ?? [];
  return oidcGroupRoles !== '' && known.includes(oidcGroupsClaim) ? `${usual} ${oidcGroupsClaim}` : usual;
}

/** One configuration per method of client authentication, the likelier first. */
async function discover(library: Library, settings: SingleSignOnSettings): Promise<Configurations> {
  const { oidcProviderURL, oidcClientID: clientID, oidcClientSecret: secret } = settings;
  const url = new URL(oidcProviderURL);
  const execute = url.protocol === 'http:' ? [library.allowInsecureRequests] : [];
  const options = { timeout: timeoutSeconds, execute };
  const first = await library.discovery(url, clientID, {}, authentications(library, secret)[0], options);
  const others = authentications(library, secret).slice(1);
  return [first, ...others.map((show) => alike(library, first, clientID, show, execute))];
}

/** Providers insist on the registered method, which is not in their metadata. */
function authentications({ ClientSecretBasic, ClientSecretPost, None }: Library, secret: string): client.ClientAuth[] {
  return secret === '' ? [None()] : [ClientSecretBasic(secret), ClientSecretPost(secret)];
}

function alike(
  { Configuration }: Library,
  first: client.Configuration,
  clientID: string,
  show: client.ClientAuth,
  execute: ((configuration: client.Configuration) => void)[],
): client.Configuration {
  const other = new Configuration(first.serverMetadata(), clientID, {}, show);
  other.timeout = timeoutSeconds;
  for (const extend of execute) extend(other);
  return other;
}

/** The library needs the URL of the callback; the console only passes its code. */
async function exchange(
  library: Library,
  [configuration, ...others]: readonly client.Configuration[],
  answer: { redirectURL: string; code: string },
  checks: Checks,
) {
  const { issuer: iss } = configuration!.serverMetadata();
  const address = new URL(answer.redirectURL);
  address.search = new URLSearchParams({ code: answer.code, iss }).toString();
  try {
    const tokens = await library.authorizationCodeGrant(configuration!, address, {
      pkceCodeVerifier: checks.verifier,
      expectedNonce: checks.nonce,
      idTokenExpected: true,
    });
    return { tokens, configuration: configuration! };
  } catch (error) {
    if (others.length === 0 || !isAboutTheClient(library, error)) throw error;
    return exchange(library, others, answer, checks);
  }
}

function isAboutTheClient({ ResponseBodyError, WWWAuthenticateChallengeError }: Library, error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_client';
  return error instanceof WWWAuthenticateChallengeError && error.status === 401;
}

function toApiError(library: Library, error: unknown): ApiError {
  if (error instanceof library.ResponseBodyError && error.error === 'invalid_grant')
    return atField('code', refusal('SIGN_ON_REFUSED'));
  const { code } = error as { code?: string };
  const isOut = (error instanceof TypeError && error.message === 'fetch failed') || code === 'OAUTH_TIMEOUT';
  if (isOut) return refusal('SIGN_ON_UNREACHABLE');
  return refusal('SIGN_ON_MISFIT');
}

/** For the log: never a body, a claim or a secret. */
function reasonOf(error: unknown): string {
  const { message, code, error: errorCode, cause } = error as Error & { code?: string; error?: string };
  const inner = (cause as { code?: string; message?: string } | undefined) ?? {};
  return [message, errorCode ?? code, inner.code].filter((part) => typeof part === 'string').join(': ');
}
