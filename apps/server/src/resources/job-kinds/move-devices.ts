import { type AccessCase, decide, notFound, operations, organizationAdmins, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { editDevice } from '../device/change.ts';
import { findMoveTarget, loadMoveTarget, type MoveTarget, profileAfterMove, profileOfName } from '../device/move.ts';
import type { JobOrder, RowCaller, RowChange } from '../job/kind.ts';
import { ownersOfDevice } from './device-facts.ts';
import { type DeviceJobKind, type DeviceKindDependencies, deviceKind, updateCall } from './device-kinds.ts';
import type { SelectionJob } from './selection.ts';

/** Where a device belongs. */
interface DeviceOwners {
  readonly applicationID: string;
  readonly deviceProfileID: string;
}

/** Moves devices to an application, also to one of another organization, and back. */
export function moveDevices(needs: DeviceKindDependencies): DeviceJobKind {
  const { database } = needs;

  async function move(
    devEUI: string,
    { applicationID, deviceProfileIDs }: Pick<SelectionJob['action'], 'applicationID' | 'deviceProfileIDs'>,
    caller: RowCaller,
  ): Promise<RowChange | undefined> {
    const device = await ownersOfDevice(database, devEUI);
    if (device.applicationID === applicationID) return undefined;
    const target = await loadMoveTarget(database, applicationID);
    requireRights(caller, device, target);
    const deviceProfileID = await profileAfterMove(device, target, deviceProfileIDs, (name) =>
      profileOfName(database, target, name),
    );
    const after: DeviceOwners = { applicationID, deviceProfileID };
    await editDevice(needs, devEUI, (before) => ({ ...before, ...after }), { mayLeave: true });
    const before: DeviceOwners = { applicationID: device.applicationID, deviceProfileID: device.deviceProfileID };
    return { before, after };
  }

  return deviceKind(needs, {
    changesMembers: true,
    otherOrganizationOf: async ({ parameters: { action } }) =>
      (await findMoveTarget(database, action.applicationID))?.organizationID,
    call: updateCall,
    check: async ({ organizationID, parameters: { action } }, caller) => {
      const target = await loadMoveTarget(database, action.applicationID);
      requireRights(caller, { organizationID: organizationID! }, target);
      return nameOfTarget(database, target, organizationID!);
    },
    run: ({ subject }, { parameters: { action } }, caller) => move(subject, action, caller),
    undo: async ({ subject, ...change }, _order, caller) => {
      const [before, after] = [change.before, change.after] as [DeviceOwners, DeviceOwners];
      const device = await ownersOfDevice(database, subject);
      if (device.applicationID !== after.applicationID || device.deviceProfileID !== after.deviceProfileID)
        throw refusal('CHANGED_SINCE');
      const deviceProfileIDs = { [after.deviceProfileID]: before.deviceProfileID };
      await move(subject, { applicationID: before.applicationID, deviceProfileIDs }, caller);
      return undefined;
    },
    problems: (order) => problemsOf(database, order),
  });
}

async function problemsOf(database: Database, { parameters: { action } }: JobOrder<SelectionJob>) {
  const target = await loadMoveTarget(database, action.applicationID);
  const profiles = new Map<string, Promise<string | undefined>>();
  let left = await roomIn(database, target.organizationID);
  return async (device: Parameters<typeof profileAfterMove>[0]): Promise<void> => {
    await profileAfterMove(device, target, action.deviceProfileIDs, (name) => {
      const profile = profiles.get(name) ?? profileOfName(database, target, name);
      profiles.set(name, profile);
      return profile;
    });
    if (device.organizationID === target.organizationID) return;
    if (left.count === 0) throw refusal('LIMIT_REACHED', { limit: left.limit });
    left = { ...left, count: left.count - 1 };
  };
}

/** How many devices an organization can take. */
async function roomIn({ query }: Database, organizationID: number): Promise<{ count: number; limit: string }> {
  const columns = ['device_count', 'max_device_count'] as const;
  const row = await query
    .selectFrom('organization')
    .select(columns)
    .where('id', '=', organizationID)
    .executeTakeFirst();
  if (!row) throw notFound('organization', String(organizationID));
  const { device_count, max_device_count: most } = row;
  const count = most === 0 ? Number.POSITIVE_INFINITY : Math.max(most - device_count, 0);
  return { count, limit: `${most} device${most === 1 ? '' : 's'}` };
}

const administration: AccessCase = { on: 'organization', allow: organizationAdmins };

/** A move between organizations needs the right to administer both; one within needs that of creating in the target. */
function requireRights(
  { principal }: RowCaller,
  from: { organizationID: number; applicationID?: string },
  target: MoveTarget,
): void {
  const to = { organizationID: target.organizationID, applicationID: String(target.applicationID) };
  const [inside] = operations.device.create.access.cases;
  const one = from.organizationID === to.organizationID ? inside! : administration;
  for (const { organizationID, applicationID = to.applicationID } of [from, to]) {
    const facts = { organizationIDs: [String(organizationID)], applicationID };
    if (decide(principal, 'change', one, facts) !== 'allowed') throw refusal('PERMISSION_DENIED');
  }
}

async function nameOfTarget({ query }: Database, target: MoveTarget, from: number): Promise<string> {
  const row = await query
    .selectFrom('application')
    .innerJoin('organization', 'organization.id', 'application.organization_id')
    .select(['application.name', 'organization.display_name'])
    .where('application.id', '=', target.applicationID)
    .executeTakeFirst();
  if (!row) return '';
  return target.organizationID === from ? row.name : `${row.name} (${row.display_name})`;
}
