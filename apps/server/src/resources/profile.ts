import { notFound, type Operations, type RequestOf } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { ns } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';
import { type Dependents, refuseWhileUsed } from '../database/in-use.ts';
import type { Handler } from '../http/call.ts';
import { uuidBytes } from '../identifiers.ts';
import type { Principal } from '../identity/principals.ts';
import type { Networks } from '../network/network-servers.ts';
import { ignoreNotFound } from './ignore-not-found.ts';
import { refuseBeyondLimit } from './record-limits.ts';
import type { Records } from './records.ts';
import type { Trash } from './trash/trash.ts';

type Member = 'serviceProfile' | 'deviceProfile' | 'gatewayProfile';
type TableOf = {
  serviceProfile: 'service_profile';
  deviceProfile: 'device_profile';
  gatewayProfile: 'gateway_profile';
};
type ProfileOf<M extends Member> = {
  serviceProfile: RequestOf<Operations['serviceProfile']['create']>['serviceProfile'];
  deviceProfile: RequestOf<Operations['deviceProfile']['create']>['deviceProfile'];
  gatewayProfile: RequestOf<Operations['gatewayProfile']['create']>['gatewayProfile'];
}[M];
type Row<M extends Member> = Awaited<ReturnType<Records<TableOf[M]>['load']>>;

interface ProfileParts<M extends Member> {
  /** Name of the profile in requests and responses. */
  member: M;
  /** Its name in sentences. */
  called: string;
  /** Where deleted ones are kept; undefined: they are not. */
  trashKind?: 'SERVICE_PROFILE' | 'DEVICE_PROFILE';
  records: Records<TableOf[M]>;
  /** The table whose number of rows is limited for each organization; undefined: it is not. */
  limitedTable?: 'service_profile' | 'device_profile';
  dependents: Dependents;
  toRow: (id: string, profile: ProfileOf<M>, now: Date) => Row<M>;
  /** The columns that an update changes. */
  toChanges: (profile: ProfileOf<M>, now: Date) => Partial<Row<M>>;
  fromRow: (row: Row<M>) => Partial<ProfileOf<M>>;
  /** Refuses settings that the network server could not apply. */
  check?: (networkServerID: number, profile: ProfileOf<M>) => Promise<void>;
  /** Reads the part that the network server stores. */
  read: (network: ns.NetworkServerService, id: Uint8Array) => Promise<Partial<ProfileOf<M>> | null>;
  create: (network: ns.NetworkServerService, id: string, profile: ProfileOf<M>) => Promise<unknown>;
  update: (network: ns.NetworkServerService, id: string, profile: ProfileOf<M>) => Promise<unknown>;
  remove: (network: ns.NetworkServerService, id: Uint8Array) => Promise<unknown>;
  /** Called with the id of a profile, in the transaction that creates or updates it. */
  written?: ((id: string) => Promise<void>) | undefined;
}

type ProfileHandlers<M extends Member> = {
  [Verb in 'get' | 'create' | 'update' | 'delete']: Handler<Operations[M][Verb]>;
};
type Body = Readonly<Record<Member, ProfileOf<Member>>>;

export interface ProfileHandlersDependencies {
  database: Database;
  networks: Networks;
  clock: Clock;
  trash: Trash;
}

/**
 * The common operations of service-, device- and gateway-profiles: name and owner are stored here, the features at the
 * network server, and both are written in one transaction.
 */
export function profileHandlers<M extends Member>(
  { database, networks, clock, trash }: ProfileHandlersDependencies,
  given: ProfileParts<M>,
): ProfileHandlers<M> {
  // The three profiles differ in their types only, and the types of one profile match each other.
  const parts = given as unknown as ProfileParts<Member>;
  const { member, called, records } = parts;
  const handlers = {
    get: async ({ id }: { id: string }) => {
      const row = await records.load(database, id);
      const stored = await parts.read(await networks.of(row.network_server_id), uuidBytes(id));
      if (!stored) throw notFound(called, id);
      return {
        [member]: { ...parts.fromRow(row), ...stored },
        createdAt: row.created_at.toISOString(),
        updatedAt: row.updated_at.toISOString(),
      };
    },

    create: ({ [member]: profile }: Body) => {
      const row = parts.toRow(crypto.randomUUID(), profile, clock.now());
      return database.transaction(async () => {
        if (parts.limitedTable && 'organization_id' in row)
          await refuseBeyondLimit(database, parts.limitedTable, {
            owner: 'organization',
            id: Number(row.organization_id),
          });
        await records.insert(database, row);
        await parts.check?.(row.network_server_id, profile);
        await parts.create(await networks.of(row.network_server_id), row.id, profile);
        await parts.written?.(row.id);
        return { id: row.id };
      });
    },

    update: ({ [member]: profile }: Body) =>
      database.transaction(async () => {
        const row = await records.load(database, profile.id);
        await parts.check?.(row.network_server_id, profile);
        await records.update(database, row.id, parts.toChanges(profile, clock.now()));
        await parts.update(await networks.of(row.network_server_id), row.id, profile);
        await parts.written?.(row.id);
        return {};
      }),

    delete: ({ id }: { id: string }, { principal: by }: { principal: Principal }) =>
      database.transaction(async () => {
        const row = await records.load(database, id);
        await refuseWhileUsed(database, called, id, parts.dependents);
        if (parts.trashKind && 'organization_id' in row) {
          const organizationID = Number(row.organization_id);
          await trash.addWhole({ kind: parts.trashKind, recordID: id, name: row.name, organizationID, by });
        }
        await records.remove(database, id);
        await ignoreNotFound(parts.remove(await networks.of(row.network_server_id), uuidBytes(id)));
        return {};
      }),
  };
  return handlers as unknown as ProfileHandlers<M>;
}
