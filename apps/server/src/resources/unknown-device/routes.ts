import type { Operations, UnknownDevice } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toRowID } from '../../identifiers.ts';
import { receptionsOf, type UnknownDeviceRow, type UnknownDeviceRows } from '../../network/unknown-device-rows.ts';
import type { UnknownDevices } from '../../network/unknown-devices.ts';
import { namesOfOwnGateways } from '../gateway/names.ts';

interface UnknownDeviceRoutesDependencies {
  database: Database;
  clock: Clock;
  unknownDevices: UnknownDevices;
  unknownDeviceRows: UnknownDeviceRows;
}

/** Devices that are heard and not registered. An organization sees what its own gateways hear. */
export function unknownDeviceRoutes({
  database,
  clock,
  unknownDevices,
  unknownDeviceRows: rows,
}: UnknownDeviceRoutesDependencies): Handlers<Operations['unknownDevice']> {
  return {
    list: async ({ organizationID: id, search, limit, offset }) => {
      const { isEnabled } = unknownDevices;
      if (!isEnabled) return { totalCount: '0', result: [], others: '0', isEnabled };
      await unknownDevices.saveForReader();
      const organizationID = toRowID(id);
      const now = clock.now().getTime();
      const visible = await rows.visible(organizationID, now);
      const names = await namesOfOwnGateways(database, organizationID, gatewaysOf(visible));
      const part = search.toLowerCase();
      const found = visible
        .filter(({ dev_eui, join_eui }) => dev_eui.includes(part) || join_eui.includes(part))
        .filter((row) => receptionsOf(row).some(({ gatewayID }) => names.has(gatewayID)));
      return {
        totalCount: String(found.length),
        result: found.slice(offset, offset + limit).map((row) => fromRow(row, names)),
        others: String(await rows.leftOutOf(organizationID, now)),
        isEnabled,
      };
    },

    hide: async ({ organizationID, devEUI }) => {
      await rows.hide(toRowID(organizationID), devEUI, clock.now().getTime());
      return {};
    },
  };
}

const gatewaysOf = (rows: readonly UnknownDeviceRow[]): string[] =>
  rows.flatMap((row) => receptionsOf(row).map(({ gatewayID }) => gatewayID));

const fromRow = (row: UnknownDeviceRow, names: ReadonlyMap<string, string>): UnknownDevice => ({
  devEUI: row.dev_eui,
  joinEUI: row.join_eui,
  devNonce: row.dev_nonce,
  times: row.times,
  firstAt: new Date(row.first_at).toISOString(),
  lastAt: new Date(row.last_at).toISOString(),
  networkServerID: String(row.network_server_id),
  region: row.region,
  gateways: receptionsOf(row).flatMap(({ gatewayID, rssi, snr }) => {
    const name = names.get(gatewayID);
    return name === undefined ? [] : [{ gatewayID, name, rssi, snr }];
  }),
});
