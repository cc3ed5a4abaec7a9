import { notFound, type Operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { listClientCertificates, revokeClientCertificate } from '../../certificates/client-certificates.ts';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import type { Principals } from '../../identity/principals.ts';
import { loadGateway } from './store.ts';

interface GatewayCertificateRoutesDependencies {
  database: Database;
  clock: Clock;
  principals: Principals;
}

/** The certificates with which a gateway signs in, by MQTT and as a Basics Station. */
export function gatewayCertificateRoutes({
  database,
  clock,
  principals,
}: GatewayCertificateRoutesDependencies): Handlers<Operations['gatewayCertificate']> {
  return {
    list: async ({ gatewayID, ...page }) => {
      await loadGateway(database, gatewayID);
      return listClientCertificates(database, { gatewayID }, page);
    },

    revoke: async ({ gatewayID, serial }) => {
      await loadGateway(database, gatewayID);
      const isRevoked = await revokeClientCertificate(database, { gatewayID }, { serial, at: clock.now() });
      if (!isRevoked) throw notFound('certificate', serial);
      principals.changed(serial);
      return {};
    },
  };
}
