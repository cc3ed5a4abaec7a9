import {
  type DeviceProfile,
  type DeviceProfileListItem,
  formatDuration,
  type Operations,
  parseDuration,
  type SortableBy,
} from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { DeviceProfileTable } from './tables.ts';

export type DeviceProfileRow = Selectable<DeviceProfileTable>;

type Field = SortableBy<Operations['deviceProfile']['list']>;

const orders: Orders<Field> = {
  by: {
    name: alphabetical('device_profile.name'),
    networkServerName: alphabetical('network_server.name'),
    createdAt: plain('device_profile.created_at'),
  },
  usual: 'name',
  key: 'device_profile.id',
};

export interface DeviceProfileFilter extends SortedPage<Field> {
  organizationIDs: readonly number[] | undefined;
  /** Those that this application can use: of its organization, on the network server of its service-profile. */
  applicationID: number | undefined;
  /** Only those that devices of the application have. */
  isUsed: boolean;
  search: string;
}

/** The columns of a list item. Scripts are not included: a page of them would be hundreds of megabytes. */
const listed = [
  'device_profile.id',
  'device_profile.name',
  'device_profile.organization_id',
  'device_profile.network_server_id',
  'device_profile.created_at',
  'device_profile.updated_at',
  'device_profile.payload_codec',
  'device_profile.mac_version',
  'device_profile.supports_class_b',
  'device_profile.supports_class_c',
] as const;
type ListedColumn = (typeof listed)[number] extends `device_profile.${infer Column extends keyof DeviceProfileRow}`
  ? Column
  : never;

/** A page of rows of device-profiles, usually by name. */
export function listDeviceProfiles({ query, kind }: Database, filter: DeviceProfileFilter) {
  const { organizationIDs, applicationID, isUsed, search, ...page } = filter;
  const matching = query
    .selectFrom('device_profile')
    .where(isCalled('device_profile.name', search))
    .$if(isUsed, (rows) =>
      rows.where('device_profile.id', 'in', (eb) =>
        eb.selectFrom('device').select('device.device_profile_id').where('device.application_id', '=', applicationID!),
      ),
    )
    .$if(organizationIDs !== undefined, (rows) => rows.where('device_profile.organization_id', 'in', organizationIDs!))
    .$if(applicationID !== undefined, (rows) =>
      rows.where((eb) =>
        eb.exists(
          eb
            .selectFrom('application')
            .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
            .select('application.id')
            .where('application.id', '=', applicationID!)
            .whereRef('application.organization_id', '=', 'device_profile.organization_id')
            .whereRef('service_profile.network_server_id', '=', 'device_profile.network_server_id'),
        ),
      ),
    );
  return readInOrder(kind, orders, page, {
    rows: matching
      .innerJoin('network_server', 'network_server.id', 'device_profile.network_server_id')
      .select(listed)
      .select('network_server.name as network_server_name')
      .select(sql<string | null>`device_profile.tags ->> 'vendorID'`.as('vendor_id'))
      .select(sql<string | null>`device_profile.tags ->> 'profileID'`.as('profile_id')),
    count: () => countOf(matching),
    toItem: (row) => row,
  });
}

export const deviceProfiles = recordsOf('device_profile', 'device-profile');

/** The columns of a new device-profile. */
export function toRow(id: string, profile: DeviceProfile, now: Date): DeviceProfileRow {
  return {
    id,
    organization_id: toID(profile.organizationID, 'organization'),
    network_server_id: toID(profile.networkServerID, 'network-server'),
    ...toChanges(profile, now),
    created_at: now,
  };
}

/** The columns that an update changes. */
export function toChanges(profile: DeviceProfile, now: Date) {
  return {
    name: profile.name,
    payload_codec: profile.payloadCodec,
    payload_encoder_script: profile.payloadEncoderScript,
    payload_decoder_script: profile.payloadDecoderScript,
    tags: profile.tags,
    uplink_interval_ms: parseDuration(profile.uplinkInterval ?? '0s') ?? 0,
    ...toDetails(profile),
    updated_at: now,
  };
}

/** The columns that are copies of what the network server stores. */
export function toDetails(
  profile: Partial<Pick<DeviceProfile, 'macVersion' | 'supportsClassB' | 'supportsClassC'>>,
): Pick<DeviceProfileRow, 'mac_version' | 'supports_class_b' | 'supports_class_c'> {
  return {
    mac_version: profile.macVersion ?? null,
    supports_class_b: profile.supportsClassB ?? null,
    supports_class_c: profile.supportsClassC ?? null,
  };
}

export function fromRow(row: DeviceProfileRow) {
  return {
    id: row.id,
    name: row.name,
    organizationID: String(row.organization_id),
    networkServerID: String(row.network_server_id),
    payloadCodec: row.payload_codec,
    payloadEncoderScript: row.payload_encoder_script,
    payloadDecoderScript: row.payload_decoder_script,
    tags: row.tags,
    uplinkInterval: formatDuration(row.uplink_interval_ms),
  };
}

export type ListedDeviceProfile = Pick<DeviceProfileRow, ListedColumn> & {
  network_server_name: string;
  vendor_id: string | null;
  profile_id: string | null;
};

export function toListItem(row: ListedDeviceProfile): DeviceProfileListItem {
  return {
    id: row.id,
    name: row.name,
    organizationID: String(row.organization_id),
    networkServerID: String(row.network_server_id),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    networkServerName: row.network_server_name,
  };
}
