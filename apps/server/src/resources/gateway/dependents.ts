import type { DependentDevice } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { History } from '../../history/history.ts';
import { callerKey } from '../../identity/name-of.ts';
import type { Principal } from '../../identity/principals.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { loadGateway } from './store.ts';

export interface DependentsDependencies {
  database: Database;
  clock: Clock;
  history: Pick<History, 'dependents'>;
}

export interface DependentDevices {
  readonly result: DependentDevice[];
  readonly soleCount: number;
  readonly examinedCount: number;
  readonly unknownCount: number;
  readonly isPartial: boolean;
  readonly computedAt: string;
}

const periodMs = 86_400_000;
const mostDevices = 5000;
const validMs = 300_000;
const mostCached = 100;

/** The devices that need a gateway, kept for minutes, because each answer reads the uplinks of a day. */
export class DependentDeviceCache {
  readonly #needs: DependentsDependencies;
  readonly #cached = new Map<string, { untilMs: number; answer: Promise<DependentDevices> }>();

  constructor(needs: DependentsDependencies) {
    this.#needs = needs;
  }

  /** Of the organizations that the caller may see, and of the one that has the gateway. */
  async of(gatewayID: string, principal: Principal): Promise<DependentDevices> {
    const { database, clock } = this.#needs;
    const { organization_id } = await loadGateway(database, gatewayID);
    const organizationIDs = visibleOrganizations(principal)?.concat(organization_id);
    const key = `${gatewayID}/${organizationIDs?.toSorted((one, other) => one - other).join(',') ?? 'all'}`;
    const now = clock.monotonicMs();
    const cached = this.#cached.get(key);
    if (cached && cached.untilMs > now) return cached.answer;
    this.#cached.delete(key);
    if (this.#cached.size >= mostCached) this.#cached.delete(this.#cached.keys().next().value!);
    const answer = findDependents(this.#needs, { gatewayID, organizationIDs }, callerKey(principal));
    this.#cached.set(key, { untilMs: now + validMs, answer });
    answer.catch(() => this.#cached.delete(key));
    return answer;
  }
}

async function findDependents(
  { database, clock, history }: DependentsDependencies,
  { gatewayID, organizationIDs }: { gatewayID: string; organizationIDs: readonly number[] | undefined },
  caller: string,
): Promise<DependentDevices> {
  const since = clock.now().getTime() - periodMs;
  const rows = await database.query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select(['dev_eui', 'device.name', 'application_id', 'organization_id', 'log_from'])
    .$if(organizationIDs !== undefined, (all) => all.where('organization_id', 'in', organizationIDs!))
    .where('last_seen_at', '>=', new Date(since))
    .orderBy('last_seen_at', 'desc')
    .limit(mostDevices + 1)
    .execute();
  const devices = new Map(rows.slice(0, mostDevices).map((row) => [row.dev_eui, row]));
  const found = await history.dependents(
    { gatewayID, since, devices: [...devices.values()].map((row) => ({ devEUI: row.dev_eui, above: row.log_from })) },
    caller,
  );
  return {
    result: found.devices.map(({ devEUI, uplinks, otherMargin }) => {
      const { name, application_id, organization_id } = devices.get(devEUI)!;
      const owners = { applicationID: String(application_id), organizationID: String(organization_id) };
      return { devEUI, name, ...owners, uplinks, ...(otherMargin !== null && { otherMargin }) };
    }),
    soleCount: found.devices.filter(({ otherMargin }) => otherMargin === null).length,
    examinedCount: devices.size,
    unknownCount: found.unknown,
    isPartial: found.isPartial || rows.length > mostDevices,
    computedAt: clock.now().toISOString(),
  };
}
