import { ApiError, Device, notFound, operations, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { statement } from '../../database/statement.ts';
import type { RowOf } from '../../database/tables.ts';
import type { DownlinkSteps } from '../../events/downlink-steps.ts';
import { checkAccess } from '../../identity/access.ts';
import {
  clearDevNonces,
  type DeviceChangeDependencies,
  editDevice,
  editNames,
  removeDevice,
} from '../device/change.ts';
import { loadApplicationOf, loadProfileOf } from '../device/store.ts';
import { flushQueue } from '../device-queue/flush.ts';
import type { JobKind, JobOrder, JobSubject, RowCall, RowCaller, RowChange } from '../job/kind.ts';
import { addMember, removeMember } from '../multicast-group/members.ts';
import { loadGroup } from '../multicast-group/store.ts';
import { type DeviceFacts, factsOfDevices } from './device-facts.ts';
import { changeNames, checkNames, type NameLimits, tagsLimits, variablesLimits } from './names.ts';
import { deviceSelectionOf, type SelectionJob, selectedDevices } from './selection.ts';

export interface DeviceKindDependencies extends DeviceChangeDependencies {
  downlinkSteps: DownlinkSteps;
}

type Order = JobOrder<SelectionJob>;
export type DeviceJobKind = JobKind<SelectionJob>;

interface DeviceAction {
  /** The members of `Device` are what a row changes: see `RowAudit`. */
  changesMembers?: true;
  /** The organization that devices move to: see `RowAudit`. */
  otherOrganizationOf?: (order: Order) => Promise<number | undefined>;
  /** The call of the API that does the same to one device. */
  call: (devEUI: string, order: Order) => RowCall;
  run: DeviceJobKind['run'];
  undo?: NonNullable<DeviceJobKind['undo']>;
  check?: NonNullable<DeviceJobKind['check']>;
  /** Refuses what `run` would refuse, as far as it can be known without the network server. Called once per rehearsal. */
  problems?: (order: Order, caller: RowCaller) => Promise<(device: DeviceFacts) => Promise<void> | void>;
}

/** A kind that changes selected devices of an organization. */
export function deviceKind(
  { database, clock }: Pick<DeviceKindDependencies, 'database' | 'clock'>,
  action: DeviceAction,
): DeviceJobKind {
  const { call, run, undo, check, problems, changesMembers, otherOrganizationOf } = action;
  return {
    access: (devEUI, order) => [call(devEUI, order)],
    audit: async ({ subject }, order) => ({
      ...{ subject: 'device', operation: call(subject, order).operation.key },
      fields: changesMembers && Device.fields,
      otherOrganizationID: await otherOrganizationOf?.(order),
    }),
    subjects: (order) => selectedDevices({ database, clock }, order),
    run: async (row, order, caller) => {
      await requireOwn(database, row.subject, order);
      return run(row, order, caller);
    },
    ...(undo && { undo }),
    check: async (order, caller) => {
      deviceSelectionOf(order.parameters.selection);
      return (await check?.(order, caller)) ?? '';
    },
    rehearse: async (order, caller) => {
      const problem = await problems?.(order, caller);
      const rights = new Map<string, Promise<void>>();
      return async (subjects) => {
        const facts = new Map(
          (
            await factsOfDevices(
              database,
              subjects.map(({ subject }) => subject),
            )
          ).map((one) => [one.devEUI, one]),
        );
        const refused = new Map<string, ApiError>();
        for (const { subject } of subjects) {
          const device = facts.get(subject);
          const error = await errorOf(async () => {
            if (device?.organizationID !== order.organizationID) throw notFound('device', subject);
            // Rights depend on the application only.
            const right = rights.get(device.applicationID) ?? checkCall(database, call(subject, order), caller);
            rights.set(device.applicationID, right);
            await right;
            await problem?.(device);
          });
          if (error) refused.set(subject, error);
        }
        return refused;
      };
    },
  };
}

function checkCall(database: Database, { operation, request }: RowCall, { principal }: RowCaller): Promise<void> {
  const checked = checkAccess({ database }, operation, request, principal);
  // It is awaited for each device.
  checked.catch(() => undefined);
  return checked;
}

export async function errorOf(work: () => Promise<void>): Promise<ApiError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const organizationOf = statement<RowOf<'application', 'organization_id'>>()({
  sql: `select application.organization_id from device
    inner join application on application.id = device.application_id where device.dev_eui = $devEUI`,
  given: { devEUI: 'text' },
  batch: {},
});

/** A device of another organization counts as not existing, also for callers who may change it. */
async function requireOwn(database: Database, devEUI: string, { organizationID }: Order): Promise<void> {
  const row = await organizationOf(database).first({ devEUI });
  if (row?.organization_id !== organizationID) throw notFound('device', devEUI);
}

export const updateCall = (devEUI: string): RowCall => ({
  operation: operations.device.update,
  request: { device: { devEUI } },
});

/** A kind that sets one member of devices, and puts it back. */
function setsMember<Name extends 'isDisabled' | 'deviceProfileID'>(
  needs: DeviceKindDependencies,
  name: Name,
  valueOf: (order: Order) => Device[Name],
  rest: Pick<DeviceAction, 'check' | 'problems'> = {},
): DeviceJobKind {
  return deviceKind(needs, {
    ...rest,
    changesMembers: true,
    call: updateCall,
    run: async ({ subject }, order) => {
      const value = valueOf(order);
      const device = await editDevice(needs, subject, (before) =>
        before[name] === value ? before : { ...before, [name]: value },
      );
      return device[name] === value ? undefined : { before: { [name]: device[name] }, after: { [name]: value } };
    },
    undo: async ({ subject, before, after }) => {
      await editDevice(needs, subject, (device) => {
        if (device[name] !== (after as Device)[name]) throw refusal('CHANGED_SINCE');
        return { ...device, [name]: (before as Device)[name] };
      });
      return undefined;
    },
  });
}

/** A kind that changes tags or variables. */
function changesNames(needs: DeviceKindDependencies, member: 'tags' | 'variables', limits: NameLimits): DeviceJobKind {
  return deviceKind(needs, {
    call: updateCall,
    check: async ({ parameters: { action } }) => {
      checkNames(action, limits);
      return [...Object.keys(action.set), ...action.remove, ...Object.keys(action.rename)].join(', ').slice(0, 200);
    },
    run: async ({ subject }, { parameters: { action } }) => {
      await editNames(needs, { devEUI: subject, member }, (names) => changeNames(names, action, limits));
      return undefined;
    },
    problems:
      async ({ parameters: { action } }) =>
      (device) => {
        changeNames(device[member], action, limits);
      },
  });
}

/** A kind without a target. */
function simple(
  needs: DeviceKindDependencies,
  operation: RowCall['operation'],
  run: (row: JobSubject, caller: RowCaller) => Promise<RowChange | undefined | void>,
): DeviceJobKind {
  return deviceKind(needs, {
    call: (devEUI) => ({ operation, request: { devEUI } }),
    run: async (row, _order, caller) => {
      await run(row, caller);
      return undefined;
    },
  });
}

/** Adds devices to a multicast group, or removes them. */
function changesGroup(needs: DeviceKindDependencies, verb: 'addDevice' | 'removeDevice'): DeviceJobKind {
  const { database } = needs;
  const isAdding = verb === 'addDevice';
  const change = isAdding ? addMember : removeMember;
  const groupOf = (order: Order) => order.parameters.action.multicastGroupID;
  return deviceKind(needs, {
    call: (devEUI, order) => ({
      operation: operations.multicastGroup[verb],
      request: { multicastGroupID: groupOf(order), devEUI },
    }),
    check: async (order) => {
      const group = await loadGroup(database, groupOf(order));
      const { organization_id } = await loadApplicationOf(database, String(group.application_id));
      if (organization_id !== order.organizationID) throw notFound('multicast-group', group.id);
      return group.name;
    },
    run: async ({ subject }, order) => {
      await change(needs, groupOf(order), subject);
      return undefined;
    },
    problems: async (order) => {
      const group = await loadGroup(database, groupOf(order));
      const rows = database.query.selectFrom('multicast_group_device').select('dev_eui');
      const members = await rows.where('multicast_group_id', '=', group.id).execute();
      const isMember = new Set(members.map(({ dev_eui }) => dev_eui));
      return ({ devEUI, applicationID }) => {
        if (isAdding && applicationID !== String(group.application_id)) throw refusal('OTHER_APPLICATION', { devEUI });
        if (isAdding && isMember.has(devEUI)) throw refusal('IN_GROUP_ALREADY', { devEUI });
        if (!isAdding && !isMember.has(devEUI)) throw refusal('NOT_IN_GROUP', { devEUI });
      };
    },
  });
}

const profileOf = (order: Order) => order.parameters.action.deviceProfileID;

export function deviceKinds(needs: DeviceKindDependencies) {
  const { database } = needs;
  return {
    ENABLE_DEVICES: setsMember(needs, 'isDisabled', () => false),
    DISABLE_DEVICES: setsMember(needs, 'isDisabled', () => true),
    SET_DEVICE_PROFILE: setsMember(needs, 'deviceProfileID', profileOf, {
      check: async (order) => {
        const profile = await loadProfileOf(database, profileOf(order));
        if (profile.organization_id !== order.organizationID)
          throw refusal('FOREIGN_PROFILE', { profile: 'device-profile' });
        const row = database.query.selectFrom('device_profile').select('name').where('id', '=', profile.id);
        return (await row.executeTakeFirst())?.name ?? '';
      },
      problems: async (order) => {
        const profile = await loadProfileOf(database, profileOf(order));
        return ({ networkServerID }) => {
          if (networkServerID !== profile.network_server_id)
            throw refusal('OTHER_NETWORK_SERVER', { profile: 'device-profile' });
        };
      },
    }),
    CHANGE_DEVICE_TAGS: changesNames(needs, 'tags', tagsLimits),
    CHANGE_DEVICE_VARIABLES: changesNames(needs, 'variables', variablesLimits),
    ADD_TO_MULTICAST_GROUP: changesGroup(needs, 'addDevice'),
    REMOVE_FROM_MULTICAST_GROUP: changesGroup(needs, 'removeDevice'),
    CLEAR_DEVICE_NONCES: simple(needs, operations.device.clearDeviceNonces, ({ subject }) =>
      clearDevNonces(needs, subject),
    ),
    FLUSH_DEVICE_QUEUES: simple(needs, operations.deviceQueue.flush, ({ subject }, { by }) =>
      flushQueue(needs, subject, by),
    ),
    DELETE_DEVICES: simple(needs, operations.device.delete, ({ subject }, { principal }) =>
      removeDevice(needs, subject, principal),
    ),
  };
}
