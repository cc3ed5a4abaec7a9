import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A real OpenID Connect provider on its own port. A user signs in with any name and password. */
export interface OpenIDProvider extends AsyncDisposable {
  issuer: string;
  /** The claims of a person beside `sub`, which is the name. Change them between sign-ins. */
  people: Map<string, Record<string, unknown>>;
  /** Follows the login of our server as a browser does: signs in, consents, and arrives at the redirect address. */
  visit: (from: string, name: string) => Promise<URL>;
}

export const clientID = 'hilltop';
export const clientSecret = 'a secret of the client';

interface Choices {
  redirectURL: string;
  /** The method of client authentication. */
  authentication?: 'client_secret_basic' | 'client_secret_post';
  /** Whether the ID token contains the claims as well. */
  claimsInToken?: boolean;
}

export async function startOpenIDProvider(choices: Choices): Promise<OpenIDProvider> {
  const server = createServer((...exchange) => handle(...exchange)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people: OpenIDProvider['people'] = new Map();
  const handle = quietly(() => new Provider(issuer, configurationOf(choices, people)).callback());
  return {
    issuer,
    people,
    visit: (from, name) => walk(from, name, choices.redirectURL),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function configurationOf({ redirectURL, authentication, claimsInToken }: Choices, people: OpenIDProvider['people']) {
  return {
    clients: [
      {
        client_id: clientID,
        client_secret: clientSecret,
        redirect_uris: [redirectURL],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: authentication ?? 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims: !claimsInToken,
    findAccount: (_context: unknown, name: string) => ({
      accountId: name,
      claims: () => ({ sub: name, ...people.get(name) }),
    }),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    cookies: { keys: ['key of a test'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  };
}

/** Silences its warnings about memory storage, generated keys and development pages, which tests want. */
function quietly<T>(make: () => T): T {
  const { warn } = console;
  console.warn = () => {};
  try {
    return make();
  } finally {
    console.warn = warn;
  }
}

async function walk(from: string, name: string, redirectURL: string): Promise<URL> {
  const cookies = new Map<string, string>();

  async function follow(to: string, form?: Record<string, string>): Promise<URL> {
    if (to.startsWith(redirectURL)) return new URL(to);
    const response = await fetch(to, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const text of response.headers.getSetCookie()) {
      const [, key, value] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(key!, value!);
    }
    await response.arrayBuffer();
    const next = response.headers.get('Location');
    return next === null ? new URL(to) : follow(new URL(next, to).href);
  }

  const login = await follow(from);
  if (login.href.startsWith(redirectURL)) return login;
  const consent = await follow(login.href, { prompt: 'login', login: name, password: 'any' });
  return consent.href.startsWith(redirectURL) ? consent : follow(consent.href, { prompt: 'consent' });
}
