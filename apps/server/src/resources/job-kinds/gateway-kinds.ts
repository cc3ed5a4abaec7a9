import { type ApiError, type Gateway, isSameJSON, notFound, operations, refusal } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { checkAccess } from '../../identity/access.ts';
import { editGateway, type GatewayChangeDependencies, removeGateway } from '../gateway/change.ts';
import { loadGateway } from '../gateway/store.ts';
import type { JobKind, JobOrder, RowCall, RowCaller } from '../job/kind.ts';
import { serviceProfiles } from '../service-profile/store.ts';
import { errorOf } from './device-kinds.ts';
import { changeNames, checkNames, tagsLimits } from './names.ts';
import { gatewaySelectionOf, type SelectionJob, selectedGateways } from './selection.ts';

type Order = JobOrder<SelectionJob>;
type GatewayJobKind = JobKind<SelectionJob>;
interface GatewayFacts {
  readonly id: string;
  readonly networkServerID: number;
  readonly tags: Record<string, string>;
}

interface GatewayAction {
  call: (id: string) => RowCall;
  run: (id: string, order: Order, caller: RowCaller) => Promise<void>;
  check?: NonNullable<GatewayJobKind['check']>;
  /** As of devices. */
  problems?: (order: Order) => Promise<(gateway: GatewayFacts) => void>;
}

/** A kind that changes selected gateways of an organization. */
function gatewayKind(
  { database, clock }: Pick<GatewayChangeDependencies, 'database' | 'clock'>,
  action: GatewayAction,
): GatewayJobKind {
  const { call, run, check, problems } = action;
  return {
    access: (id) => [call(id)],
    audit: ({ subject }) => ({ subject: 'gateway', operation: call(subject).operation.key }),
    subjects: (order) => selectedGateways({ database, clock }, order),
    run: async ({ subject }, order, caller) => {
      const { organization_id } = await loadGateway(database, subject);
      if (organization_id !== order.organizationID) throw notFound('gateway', subject);
      await run(subject, order, caller);
      return undefined;
    },
    check: async (order, caller) => {
      gatewaySelectionOf(order.parameters.selection);
      return (await check?.(order, caller)) ?? '';
    },
    rehearse: async (order, { principal }) => {
      const problem = await problems?.(order);
      return async (subjects) => {
        const facts = new Map(
          (
            await factsOf(
              database,
              subjects.map(({ subject }) => subject),
              order,
            )
          ).map((one) => [one.id, one]),
        );
        const [first] = facts.keys();
        // Rights depend on the organization only.
        const right = first && (await errorOf(() => checkCall(database, call(first), principal)));
        const refused = new Map<string, ApiError>();
        for (const { subject } of subjects) {
          const gateway = facts.get(subject);
          const error = await errorOf(async () => {
            if (!gateway) throw notFound('gateway', subject);
            if (right) throw right;
            problem?.(gateway);
          });
          if (error) refused.set(subject, error);
        }
        return refused;
      };
    },
  };
}

const checkCall = (
  database: Database,
  { operation, request }: RowCall,
  principal: Parameters<typeof checkAccess>[3],
): Promise<void> => checkAccess({ database }, operation, request, principal);

async function factsOf({ query }: Database, ids: readonly string[], order: Order): Promise<GatewayFacts[]> {
  const rows = await query
    .selectFrom('gateway')
    .select(['id', 'network_server_id', 'tags'])
    .where('id', 'in', ids)
    .where('organization_id', '=', order.organizationID)
    .execute();
  return rows.map(({ id, network_server_id, tags }) => ({ id, networkServerID: network_server_id, tags }));
}

const updateCall = (id: string): RowCall => ({ operation: operations.gateway.update, request: { gateway: { id } } });

type ProfileMember = 'gatewayProfileID' | 'serviceProfileID';
interface ProfileFacts {
  readonly name: string;
  readonly network_server_id: number;
}

async function loadGatewayProfile({ query }: Database, id: string): Promise<ProfileFacts> {
  const rows = query.selectFrom('gateway_profile').select(['name', 'network_server_id']).where('id', '=', id);
  const row = await rows.executeTakeFirst();
  if (!row) throw notFound('gateway-profile', id);
  return row;
}

async function loadServiceProfile(database: Database, id: string, { organizationID }: Order): Promise<ProfileFacts> {
  const row = await serviceProfiles.load(database, id);
  if (row.organization_id !== organizationID) throw refusal('FOREIGN_PROFILE', { profile: 'service-profile' });
  return row;
}

const profiles = {
  gatewayProfileID: { called: 'gateway-profile', load: loadGatewayProfile },
  serviceProfileID: { called: 'service-profile', load: loadServiceProfile },
} as const;

/** Sets a profile, or removes it. */
function setsProfile(needs: GatewayChangeDependencies, member: ProfileMember): GatewayJobKind {
  const { called, load } = profiles[member];
  const profileOf = async (order: Order): Promise<ProfileFacts | undefined> => {
    const id = order.parameters.action[member];
    return id === '' ? undefined : load(needs.database, id, order);
  };
  return gatewayKind(needs, {
    call: updateCall,
    check: async (order) => (await profileOf(order))?.name ?? 'none',
    run: (id, { parameters: { action } }) =>
      editGateway(needs, id, (gateway) => withValue(gateway, member, action[member])),
    problems: async (order) => {
      const profile = await profileOf(order);
      return ({ networkServerID }) => {
        if (profile && profile.network_server_id !== networkServerID)
          throw refusal('PROFILE_ELSEWHERE', { profile: called, resource: 'gateway' });
      };
    },
  });
}

/** The same object when nothing changes. */
function withValue(gateway: Gateway, member: ProfileMember, value: string): Gateway {
  return gateway[member] === value ? gateway : { ...gateway, [member]: value };
}

export function gatewayKinds(needs: GatewayChangeDependencies) {
  return {
    SET_GATEWAY_PROFILE: setsProfile(needs, 'gatewayProfileID'),
    SET_GATEWAY_SERVICE_PROFILE: setsProfile(needs, 'serviceProfileID'),
    CHANGE_GATEWAY_TAGS: gatewayKind(needs, {
      call: updateCall,
      check: async ({ parameters: { action } }) => {
        checkNames(action, tagsLimits);
        return [...Object.keys(action.set), ...action.remove, ...Object.keys(action.rename)].join(', ').slice(0, 200);
      },
      run: (id, { parameters: { action } }) =>
        editGateway(needs, id, (gateway) => {
          const tags = changeNames(gateway.tags, action, tagsLimits);
          return isSameJSON(tags, gateway.tags) ? gateway : { ...gateway, tags };
        }),
      problems:
        async ({ parameters: { action } }) =>
        (gateway) => {
          changeNames(gateway.tags, action, tagsLimits);
        },
    }),
    DELETE_GATEWAYS: gatewayKind(needs, {
      call: (id) => ({ operation: operations.gateway.delete, request: { id } }),
      run: (id, _order, { principal }) => removeGateway(needs, id, principal),
    }),
  };
}
