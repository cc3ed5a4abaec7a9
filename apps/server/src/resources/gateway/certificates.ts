import { notFound, type Operations } from '@hilltop/contract';
import { listClientCertificates, revokeClientCertificate } from '../../certificates/client-certificates.ts';
import type { Handlers } from '../../http/call.ts';
import type { Needs } from '../../needs.ts';
import { loadGateway } from './store.ts';

/** The certificates by which a gateway signs in, by MQTT and as a Basics Station. */
export function gatewayCertificateRoutes({
  database,
  clock,
  principals,
}: Needs): Handlers<Operations['gatewayCertificate']> {
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
