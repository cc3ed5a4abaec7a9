import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type DeliveryStatus, type Operations, refusal } from '@hilltop/contract';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Database } from '../../database/database.ts';
import { allSlots, leaseNameOf, slotOf } from '../../delivery/lease-slots.ts';
import { compareStatuses } from '../../delivery/status.ts';
import type { Context, Handlers } from '../../http/call.ts';
import { toApiError } from '../../http/errors.ts';
import { loadDevice } from '../device/store.ts';
import { type ChosenOwner, ownerOf } from './chosen.ts';

type Answering = Handlers<Operations['delivery']>;
type Verb = keyof Answering;
type HolderHandler = (request: object) => Promise<object>;
type AllRequest = Parameters<Answering['all']>[0];

const patienceMs = 15_000;
/** Other instances notice within this time that an instance has ended. */
const missedWithinMs = 6_000;
/** The longest time until Redis reports that a question has no recipient. */
const unheardWithinMs = 1_000;

interface ForwardingDependencies {
  database: Database;
  bus: Bus;
  cluster: Cluster;
  log: Logger;
}

/**
 * Forwards operations of deliveries to the instance that delivers for the application; the called instance has checked
 * the access. These operations depend on their request only.
 */
export function forwardToLeaseHolder(
  { bus, cluster, database, log }: ForwardingDependencies,
  answering: Answering,
): Answering {
  if (cluster.isAlone) return answering;
  const here =
    (verb: Verb): HolderHandler =>
    (request) =>
      Promise.resolve((answering[verb] as (request: object, context?: Context) => object | Promise<object>)(request));

  bus.answer('delivery-call', async ({ verb, request }) => {
    try {
      if (!Object.hasOwn(answering, verb)) throw refusal('INTERNAL');
      return { result: await here(verb as Verb)(request) };
    } catch (error) {
      const refused = toApiError(error);
      if (refused.httpStatus >= 500) log.error({ err: error, verb }, 'call of another instance failed');
      const { reason, metadata, status, fieldViolations } = refused;
      return { refused: { reason, metadata, status, fieldViolations } };
    }
  });

  const holderOf = (slot: number) => cluster.holderOf(leaseNameOf(slot));

  async function ask(holder: string, verb: Verb, request: object): Promise<object | undefined> {
    if (holder === cluster.id) return here(verb)(request);
    const answered = await bus.ask(holder, 'delivery-call', { verb, request }, patienceMs);
    if (answered && 'refused' in answered) throw errorOf(answered.refused);
    return answered?.result ?? answered?.told;
  }

  /**
   * Calls the holders of the applications. When one of them does not answer, calls all of them again: by then the
   * others know which instance has taken over.
   */
  async function askHolders(those: readonly number[], verb: Verb, request: object): Promise<object[]> {
    for (const until = performance.now() + missedWithinMs; ; await pause(100)) {
      const holders = [...new Set(those.map(holderOf))];
      const askedAt = performance.now();
      const answers = await Promise.all(holders.map((holder) => ask(holder, verb, request)));
      if (answers.every((one) => one !== undefined)) return answers;
      const now = performance.now();
      if (now - askedAt > unheardWithinMs || now > until) throw refusal('NOT_REACHED');
    }
  }

  async function askAll({ limit, offset, ...which }: AllRequest): Promise<object> {
    const answers = await askHolders(allSlots, 'all', { ...which, limit: offset + limit, offset: 0 });
    const lists = answers as { totalCount: string; result: DeliveryStatus[] }[];
    const result = lists.flatMap((list) => list.result).sort(compareStatuses);
    const totalCount = lists.reduce((sum, list) => sum + Number(list.totalCount), 0);
    return { totalCount: String(totalCount), result: result.slice(offset, offset + limit) };
  }

  const answer =
    (verb: Verb): HolderHandler =>
    async (request) => {
      if (verb === 'all') return askAll(request as AllRequest);
      const { devEUI, ...owner } = request as { devEUI: string } & ChosenOwner;
      const id = verb === 'ofDevice' ? (await loadDevice(database, devEUI)).application_id : ownerOf(owner);
      const [result] = await askHolders([slotOf(id)], verb, request);
      return result!;
    };
  return Object.fromEntries(Object.keys(answering).map((verb) => [verb, answer(verb as Verb)])) as unknown as Answering;
}

type Refused = Pick<ApiError, 'reason' | 'metadata' | 'status' | 'fieldViolations'>;

const errorOf = ({ reason, metadata, status, fieldViolations }: Refused) =>
  new ApiError(reason, metadata as never, { status, fieldViolations });
