import { unauthenticated } from '@hilltop/contract';
import type { FastifyInstance } from 'fastify';
import { type AuditDependencies, auditActor, writeAudit } from '../../audit/write.ts';
import { tokenOf } from '../../http/authentication.ts';
import type { Principals } from '../../identity/principals.ts';
import { endSession } from '../session/session.ts';

/**
 * `POST /api/internal/logout` ends the session of its token. It is not in the contract: version 3 only deleted the
 * token in the browser.
 */
export function serveLogout(app: FastifyInstance, needs: AuditDependencies & { principals: Principals }): void {
  app.post('/api/internal/logout', async (request, reply) => {
    const token = tokenOf(request.headers);
    const principal = token === null ? null : await needs.principals.ofToken(token);
    if (principal?.kind !== 'user') throw unauthenticated();
    await needs.database.transaction(async () => {
      await endSession(needs, principal);
      const actor = auditActor(principal);
      const subject = { kind: 'user', id: actor.id, name: actor.name } as const;
      await writeAudit(needs, {
        actor,
        address: request.ip,
        operation: 'internal.logout',
        subject,
        requestID: request.id,
      });
    });
    request.log.info({ account: `user ${principal.id}`, address: request.ip }, 'signed out');
    // Clears what the browser cached of the API. The console has cleared its own storage already (docs/decisions/0006).
    return reply.header('Clear-Site-Data', '"cache"').header('Content-Type', 'application/json').send('{}');
  });
}
