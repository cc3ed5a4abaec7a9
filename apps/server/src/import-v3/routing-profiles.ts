import { RpcError } from '@hilltop/protobuf';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { isEmbedded } from '../network/embedded-address.ts';
import { createRemoteNetworks } from '../network/remote-networks.ts';
import { createOutgoing } from '../outgoing/outgoing.ts';
import { ownPortsOf, ownServersOf } from '../outgoing/own-ports.ts';
import {
  loadRoutingProfileID,
  replaceRoutingProfile,
  routingProfileOf,
} from '../resources/network-server/routing-profile.ts';
import { loadNetworkServer } from '../resources/network-server/store.ts';
import type { Secrets } from '../secrets.ts';
import type { ReportBook } from './report/report.ts';
import type { SettingsFile } from './source/settings-file.ts';

interface RoutingProfilesDependencies {
  config: Config;
  database: Database;
  secrets: Secrets;
}

interface RoutingProfileChange {
  /** The address that network servers call: `host:port`. */
  asId: string;
  /** Sentences of the report for a network server that was updated, and for one that could not be reached. */
  changedSentence: string;
  failedSentence: (reason: string) => string;
}

/**
 * Changes the routing profile at every remote network server. The report names those that cannot be reached: they call
 * the old address until an operator changes it.
 */
async function changeRoutingProfiles(
  { config, database, secrets }: RoutingProfilesDependencies,
  { asId, changedSentence, failedSentence }: RoutingProfileChange,
  report: ReportBook,
): Promise<void> {
  const outgoing = createOutgoing({
    allow: config.outgoingAllow,
    ownPorts: ownPortsOf(config),
    protectedServers: ownServersOf(config),
  });
  const networks = createRemoteNetworks({ database, secrets, outgoing });
  const id = await loadRoutingProfileID(database);
  const rows = await database.query
    .selectFrom('network_server')
    .select(['id', 'name', 'server'])
    .orderBy('id')
    .execute();
  for (const { id: rowID, name } of rows.filter((row) => !isEmbedded(row))) {
    try {
      const row = await loadNetworkServer(database, String(rowID));
      await replaceRoutingProfile(await networks.of(rowID), routingProfileOf(secrets, row, { id, asId }));
      report.find('notice', 'network-servers', changedSentence, name);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      report.find('notice', 'network-servers', failedSentence(error.message), name);
    }
  }
  networks.close();
}

/** In the last pass: Hilltop becomes the application server. */
export const pointNetworkServersHere = (target: RoutingProfilesDependencies, report: ReportBook): Promise<void> => {
  const asId = target.config.grpcPublic;
  const change = {
    asId,
    changedSentence: `it now sends its uplinks to ${asId} (HILLTOP_GRPC_PUBLIC)`,
    failedSentence: (reason: string) =>
      `it could not be made to send its uplinks to ${asId} (HILLTOP_GRPC_PUBLIC), so they are lost: correct this, and save it once at Network-servers of Hilltop. ${reason}`,
  };
  return changeRoutingProfiles(target, change, report);
};

/** For `--back`: the application server of version 3 again, at the address in its settings file. */
export const pointNetworkServersBack = (
  target: RoutingProfilesDependencies,
  file: SettingsFile,
  report: ReportBook,
): Promise<void> => {
  const asId = file.text('application_server.api.public_host', 'localhost:8001');
  const change = {
    asId,
    changedSentence: `it now sends its uplinks to ${asId} again, the application server of version 3`,
    failedSentence: (reason: string) =>
      `it could not be made to send its uplinks to ${asId} again: start the application server of version 3, and save it once at Network-servers there. ${reason}`,
  };
  return changeRoutingProfiles(target, change, report);
};
