import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { ApiError, type Principal } from '@hilltop/contract';
import type { Identity } from '@hilltop/network-server';
import type { Certificates } from '../certificates/certificates.ts';
import { anyOf } from '../cidr.ts';
import { callerAddress } from '../connections/caller-address.ts';
import type { Database } from '../database/database.ts';

export interface StationIdentityDependencies {
  certificates: Pick<Certificates, 'gatewayOf'>;
  config: { basicsStationProof: 'required' | 'optional'; trustProxy: Parameters<typeof anyOf>[0] };
  database: Database;
  principals: {
    /** Throws ApiError for an invalid token. With `nobody` the session of the token does not count as used. */
    ofToken: (token: string, use: { nobody: boolean; address: string }) => Promise<NonNullable<Principal>>;
  };
}

/**
 * A station proves which gateway it is by a client certificate with the gateway's EUI as common name, or by an API key
 * of the gateway's organization (or of an administrator) in its `Authorization` header. A presented proof must be
 * valid, even if none is required.
 */
export function createStationIdentity({ certificates, config, database, principals }: StationIdentityDependencies) {
  const isProxy = anyOf(config.trustProxy);

  /** The id of the API key, if it allows access to the gateway. */
  async function keyFor(token: string, gatewayID: string, address: string): Promise<string | undefined> {
    const principal = await principals.ofToken(token, { nobody: true, address }).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    // The session token of a user is for the console, the key of an application for its devices.
    if (principal?.kind !== 'apiKey' || principal.applicationID !== null) return undefined;
    if (principal.isAdmin) return principal.id;
    const gateway = await database.query
      .selectFrom('gateway')
      .select('organization_id')
      .where('id', '=', gatewayID)
      .executeTakeFirst();
    return gateway && String(gateway.organization_id) === principal.organizationID ? principal.id : undefined;
  }

  /** The serial number of the certificate, if it is one of the gateway. */
  async function certificateOf({ certificate, isTrusted }: Shown, gatewayID: string): Promise<string | undefined> {
    if (!isTrusted || certificate.validToDate < new Date()) return undefined;
    const found = await certificates.gatewayOf(certificate);
    return found?.gatewayID === gatewayID ? found.serial : undefined;
  }

  return async (gatewayID: string, request: IncomingMessage): Promise<Identity> => {
    const certificate = shownBy(request);
    if (certificate) return provenBy(await certificateOf(certificate, gatewayID));
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const { address } = callerAddress(request.socket, request.headers, isProxy);
      return provenBy(await keyFor(authorization.replace(/^Bearer\s+/i, ''), gatewayID, address));
    }
    return config.basicsStationProof === 'required' ? 'refused' : 'unproven';
  };
}

function provenBy(name: string | undefined): Identity {
  return name === undefined ? 'refused' : { provenBy: name };
}

/** The client certificate, whichever authority issued it. */
function shownBy({ socket }: IncomingMessage): Shown | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && { certificate, isTrusted: socket.authorized };
}

interface Shown {
  certificate: X509Certificate;
  /** The time when the connection began. */
  isTrusted: boolean;
}
