import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@hilltop/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { formatCookie, readCookie } from '../http/cookies.ts';
import { callbackPath, type SingleSignOnSettings } from './settings.ts';
import type { SingleSignOn } from './single-sign-on.ts';
import { lifetimeSeconds } from './started-sign-ons.ts';

interface SingleSignOnRoutesDependencies {
  config: Pick<SingleSignOnSettings, 'oidcRedirectURL'>;
  singleSignOn: SingleSignOn | undefined;
}

const cookieName = 'hilltop_sign_on';

/**
 * The two addresses that a browser visits on its way to the provider and back. The console completes the sign-in by an
 * operation.
 */
export function serveSingleSignOn(
  app: FastifyInstance,
  { config, singleSignOn }: SingleSignOnRoutesDependencies,
): void {
  if (!singleSignOn) return;
  const isSecure = overTLS(config);

  app.get('/auth/oidc/login', async (request, reply) => {
    const mark = markOf(request.headers, config) ?? randomBytes(32).toString('base64url');
    let url: URL;
    try {
      url = await singleSignOn.start(mark);
    } catch (error) {
      if (!(error instanceof ApiError) || !takesPages(request.headers)) throw error;
      return sayAsPage(reply.code(error.httpStatus), error.message);
    }
    const cookie = formatCookie({
      name: cookieName,
      value: mark,
      maxAgeSeconds: lifetimeSeconds,
      sameSite: 'Lax',
      isSecure,
    });
    return reply.header('Set-Cookie', cookie).redirect(url.href, 302);
  });

  app.get(callbackPath, (request, reply) => {
    const { code, state, error } = request.query as Record<string, unknown>;
    const answer =
      typeof code === 'string' && typeof state === 'string'
        ? { code, state }
        : { error: error === 'access_denied' ? error : 'server_error' };
    return reply.redirect(`/login?${new URLSearchParams(answer)}`, 308);
  });
}

/** The mark that recognizes a browser when it comes back; undefined when it has none. */
export function markOf(
  headers: IncomingHttpHeaders,
  config: Pick<SingleSignOnSettings, 'oidcRedirectURL'>,
): string | undefined {
  const mark = readCookie(headers, cookieName, overTLS(config));
  return /^[\w-]{43}$/.test(mark ?? '') ? mark : undefined;
}

/** Whether browsers use TLS, judged by the redirect URL that the provider has. */
function overTLS({ oidcRedirectURL }: Pick<SingleSignOnSettings, 'oidcRedirectURL'>): boolean {
  return oidcRedirectURL.startsWith('https:');
}

function takesPages({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes('text/html') ?? false;
}

/**
 * Shows an error as a page where the console is not loaded. `sentence` is a text of this server, never a part of the
 * request.
 */
function sayAsPage(reply: FastifyReply, sentence: string): FastifyReply {
  return reply.type('text/html; charset=utf-8').send(
    `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Sign in · Hilltop</title>
<main style="font: 1rem system-ui; max-width: 32rem; margin: 4rem auto; padding: 0 1rem">
<h1>Sign in</h1>
<p>${sentence}</p>
<p><a href="/login">Back to the sign-in page</a></p>
</main>
`,
  );
}
