import { MulticastGroup } from '@hilltop/contract';
import { mcAppSKeyPurpose } from '../../resources/multicast-group/store.ts';
import type { SourceRow } from '../source/postgres.ts';

import { bytes, counterRange, hex, number, plainUUID, recordTimes, text, times, whole } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { importRows, importTable, NotImportable, rowsBy, textOfKey } from './each-row.ts';
import type { ImportPass, ImportStep } from './import-pass.ts';
import { recordRow } from './record.ts';

const what = 'multicast-groups';

export const importMulticastGroups: ImportStep = async function* (pass) {
  const { imported, database, report } = pass;
  report.count(what);
  for await (const rows of database.rows('multicast_group')) {
    const ids = rows.map((row) => text(row, 'id'));
    const there = new Map<number, Map<string, SourceRow>>();
    for (const [networkServerID, network] of pass.networks)
      there.set(networkServerID, await rowsBy(network.database, 'multicast_group', 'id', ids));
    const nameInReport = (row: SourceRow) => text(row, 'name');
    const problemOf = (row: SourceRow) => problemWith(MulticastGroup, { name: text(row, 'name') });
    yield importRows(pass, rows, {
      what,
      nameInReport,
      problemOf,
      toTargetRows: (row) => importGroup(pass, row, there),
    });
  }
  yield* importTable(pass, {
    what: 'multicast-group devices',
    database,
    table: 'device_multicast_group',
    nameInReport: (row) => `${textOfKey(row['dev_eui'])} in ${text(row, 'multicast_group_id')}`,
    toTargetRows: (row) => {
      const [devEUI, id] = [hex(row, 'dev_eui', 8), text(row, 'multicast_group_id')];
      const networkServerID = imported.multicastGroups.get(id);
      if (networkServerID === undefined || imported.devices.get(devEUI) !== networkServerID)
        throw new NotImportable('its group or device is not imported, or they have different network-servers');
      const member: TargetRow = {
        table: 'multicast_group_device',
        values: { multicast_group_id: id, dev_eui: devEUI },
        nameInReport: `${devEUI} in ${id}`,
      };
      if (!pass.networks.has(networkServerID)) return [member];
      const values = { network_server_id: networkServerID, group_id: plainUUID(id), dev_eui: devEUI };
      return [member, { table: 'ns_multicast_member', values, nameInReport: `${devEUI} in ${id}` }];
    },
  });
  for (const network of pass.networks.values())
    for await (const rows of network.database.rows('multicast_queue'))
      for (const row of rows)
        report.find(
          'not imported',
          'queued downlinks of multicast-groups',
          'they are scheduled for gateways of the old server, and the counter of the group has passed them: enqueue them again',
          text(row, 'multicast_group_id'),
        );
};

function importGroup(
  pass: ImportPass,
  row: SourceRow,
  there: ReadonlyMap<number, Map<string, SourceRow>>,
): TargetRow[] {
  const { imported } = pass;
  const [id, applicationID] = [text(row, 'id'), number(row, 'application_id')];
  const application = imported.applications.get(applicationID);
  const networkServerID = application && imported.serviceProfiles.get(application.serviceProfileID);
  if (!application || networkServerID === undefined) throw new NotImportable('its application is not imported');
  const wanted: TargetRow = {
    table: 'multicast_group',
    values: { ...times(row), id, application_id: applicationID, name: text(row, 'name') },
    sealed: { mc_app_s_key: { plain: bytes(row, 'mc_app_s_key', 16), purpose: mcAppSKeyPurpose(id) } },
    nameInReport: text(row, 'name'),
  };
  const known = there.get(networkServerID);
  const record = known?.get(id);
  if (known && !record) throw new NotImportable('its network server does not know it');
  const atNetworkServer = record ? recordsOf(pass, networkServerID, { id, record, ...application }) : [];
  imported.multicastGroups.set(id, networkServerID);
  return [wanted, ...atNetworkServer];
}

function recordsOf(
  { applicationServerID, downlinkMargin, report }: ImportPass,
  networkServerID: number,
  { id, record, serviceProfileID }: { id: string; record: SourceRow; serviceProfileID: string },
): TargetRow[] {
  if (text(record, 'routing_profile_id') !== applicationServerID)
    throw new NotImportable('it belongs to another application server');
  const groupType = text(record, 'group_type').trim();
  if (groupType !== 'B' && groupType !== 'C')
    report.find('notice', what, `its class is ${groupType || 'not given'}: it becomes class C`, id);
  const groupID = plainUUID(id);
  const counter = {
    network_server_id: networkServerID,
    group_id: groupID,
    f_cnt: whole(record, 'f_cnt', counterRange) + downlinkMargin,
  };
  return [
    recordRow(networkServerID, 'multicastGroup', groupID, {
      mcAddr: hex(record, 'mc_addr', 4),
      mcNwkSKey: hex(record, 'mc_nwk_s_key', 16),
      groupType: groupType === 'B' ? 'CLASS_B' : 'CLASS_C',
      dr: number(record, 'dr'),
      frequency: number(record, 'frequency'),
      pingSlotPeriod: number(record, 'ping_slot_period'),
      serviceProfileID: plainUUID(serviceProfileID),
      routingProfileID: plainUUID(applicationServerID),
      ...recordTimes(record),
    }),
    { table: 'ns_multicast_counter', values: counter, nameInReport: id },
  ];
}
