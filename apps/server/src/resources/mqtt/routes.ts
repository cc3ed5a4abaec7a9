import { notFound, type Operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { listClientCertificates, revokeClientCertificate } from '../../certificates/client-certificates.ts';
import type { Database } from '../../database/database.ts';
import type { Context, Handlers } from '../../http/call.ts';
import type { Principals } from '../../identity/principals.ts';
import type { Broker } from '../../mqtt/broker.ts';
import { accessOf, type MQTTAccessSettings } from '../../mqtt/client-access.ts';
import { loadApplication } from '../application/store.ts';

export interface MQTTRoutesDependencies {
  config: MQTTAccessSettings;
  database: Database;
  clock: Clock;
  principals: Principals;
  mqtt: Broker | undefined;
}

/** How the programs of an application connect by MQTT, their connections, and their certificates. */
export function mqttRoutes(needs: MQTTRoutesDependencies): Handlers<Operations['mqtt']> {
  const { config, database, clock, mqtt, principals } = needs;
  const idOf = async (applicationID: string) => (await loadApplication(database, applicationID)).id;
  return {
    get: async ({ applicationID }, context) =>
      accessOf(config, mqtt, String(await idOf(applicationID)), originOf(context)),

    listClients: async ({ applicationID }) => {
      const result = mqtt?.clientsOf(await idOf(applicationID)) ?? [];
      return { totalCount: String(result.length), result };
    },

    disconnectClient: async ({ applicationID, id }) => {
      if (!mqtt?.disconnect(await idOf(applicationID), id)) throw notFound('connection', id);
      return {};
    },

    listCertificates: async ({ applicationID, ...page }) =>
      listClientCertificates(database, { applicationID: await idOf(applicationID) }, page),

    revokeCertificate: async ({ applicationID, serial }) => {
      const owner = { applicationID: await idOf(applicationID) };
      const isRevoked = await revokeClientCertificate(database, owner, { serial, at: clock.now() });
      if (!isRevoked) throw notFound('certificate', serial);
      principals.changed(serial);
      return {};
    },
  };
}

function originOf({ headers, isSecure }: Context): URL {
  const origin = `${isSecure ? 'https' : 'http'}://${headers.host ?? ''}`;
  return new URL(URL.canParse(origin) ? origin : 'http://localhost');
}
