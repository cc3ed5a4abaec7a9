import { unauthenticated } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';
import { tokenOf } from '../../http/authentication.ts';
import type { Needs } from '../../needs.ts';
import { createSignIn } from './sign-in.ts';

/**
 * `POST /api/internal/logout` ends the session of the token it is called with. It is not in the contract: the old
 * generation only forgot the token in the browser.
 */
export function serveLogout(app: FastifyInstance, needs: Needs): void {
  const { signOut } = createSignIn(needs);
  app.post('/api/internal/logout', async (request, reply) => {
    const token = tokenOf(request.headers);
    const principal = token === null ? null : await needs.principals.ofToken(token);
    if (principal?.kind !== 'user') throw unauthenticated();
    await signOut(principal);
    return reply.header('Content-Type', 'application/json').send('{}');
  });
}
