import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError } from '@hilltop/contract';
import type { Identity } from '@hilltop/network-server';
import type { Needs } from '../needs.ts';

type Needed = Pick<Needs, 'config' | 'database' | 'principals'>;

/**
 * A station proves which gateway it is by a client certificate with the gateway's EUI as common name, or by an API key of
 * the gateway's organization (or of an administrator) in its `Authorization` header. What it shows must be good, also
 * where it need show nothing.
 */
export function createStationIdentity({ config, database, principals }: Needed) {
  async function isKeyFor(token: string, gatewayID: string): Promise<boolean> {
    const principal = await principals.ofToken(token, { nobody: true }).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    // The token of a person's session is for the console, the key of an application for its devices.
    if (principal?.kind !== 'apiKey' || principal.applicationID !== null) return false;
    if (principal.isAdmin) return true;
    const gateway = await database.query
      .selectFrom('gateway')
      .select('organization_id')
      .where('id', '=', gatewayID)
      .executeTakeFirst();
    return gateway !== undefined && String(gateway.organization_id) === principal.organizationID;
  }

  return async (gatewayID: string, request: IncomingMessage): Promise<Identity> => {
    const common = commonName(request);
    if (common !== undefined) return common?.toLowerCase() === gatewayID ? 'proven' : 'refused';
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      return (await isKeyFor(authorization.replace(/^Bearer\s+/i, ''), gatewayID)) ? 'proven' : 'refused';
    }
    return config.basicsStationProof === 'required' ? 'refused' : 'unproven';
  };
}

/** Of the client certificate; undefined without one, null when it is none of ours or has expired. */
function commonName({ socket }: IncomingMessage): string | null | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) return undefined;
  if (!socket.authorized || certificate.validToDate < new Date()) return null;
  return /^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? null;
}
