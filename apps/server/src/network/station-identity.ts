import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError } from '@hilltop/contract';
import type { Identity } from '@hilltop/network-server';
import type { Needs } from '../needs.ts';

type Needed = Pick<Needs, 'certificates' | 'config' | 'database' | 'principals'>;

/**
 * A station proves which gateway it is by a client certificate with the gateway's EUI as common name, or by an API key of
 * the gateway's organization (or of an administrator) in its `Authorization` header. What it shows must be good, also
 * where it need show nothing.
 */
export function createStationIdentity({ certificates, config, database, principals }: Needed) {
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

  async function isCertificateOf({ certificate, isTrusted }: Shown, gatewayID: string): Promise<boolean> {
    if (!isTrusted || certificate.validToDate < new Date()) return false;
    return (await certificates.gatewayOf(certificate))?.gatewayID === gatewayID;
  }

  return async (gatewayID: string, request: IncomingMessage): Promise<Identity> => {
    const certificate = shownBy(request);
    if (certificate) return (await isCertificateOf(certificate, gatewayID)) ? 'proven' : 'refused';
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      return (await isKeyFor(authorization.replace(/^Bearer\s+/i, ''), gatewayID)) ? 'proven' : 'refused';
    }
    return config.basicsStationProof === 'required' ? 'refused' : 'unproven';
  };
}

/** The client certificate, whoever made it. */
function shownBy({ socket }: IncomingMessage): Shown | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && { certificate, isTrusted: socket.authorized };
}

interface Shown {
  certificate: X509Certificate;
  /** When the connection began. */
  isTrusted: boolean;
}
