import { ApiError, type Operations, refusal } from '@hilltop/contract';
import type { Context, Handlers } from '../../http/call.ts';
import { toApiError } from '../../http/errors.ts';
import type { Needs } from '../../needs.ts';

type Answering = Handlers<Operations['delivery']>;
type Verb = keyof Answering;
type Answer = (request: object) => Promise<object>;

const patienceMs = 15_000;

/**
 * Operations of deliveries are answered by the instance that delivers, whichever was called; access was checked there.
 * None of them looks at the call beside its request.
 */
export function atHolder({ bus, cluster, log }: Needs, answering: Answering): Answering {
  if (cluster.isAlone) return answering;
  const here =
    (verb: Verb): Answer =>
    (request) =>
      Promise.resolve((answering[verb] as (request: object, context?: Context) => object | Promise<object>)(request));

  bus.answer('delivery-call', async ({ verb, request }) => {
    try {
      if (!Object.hasOwn(answering, verb)) throw refusal('INTERNAL');
      return { told: await here(verb as Verb)(request) };
    } catch (error) {
      const refused = toApiError(error);
      if (refused.httpStatus >= 500) log.error({ err: error, verb }, 'call of another instance failed');
      const { reason, metadata, status, fieldViolations } = refused;
      return { refused: { reason, metadata, status, fieldViolations } };
    }
  });

  const answer =
    (verb: Verb): Answer =>
    async (request) => {
      const holder = cluster.holderOf('deliveries');
      if (holder === cluster.id) return here(verb)(request);
      const answered = await bus.ask(holder, 'delivery-call', { verb, request }, patienceMs);
      if (!answered) throw refusal('NOT_REACHED');
      if ('refused' in answered) throw errorOf(answered.refused);
      return answered.told;
    };
  return Object.fromEntries(Object.keys(answering).map((verb) => [verb, answer(verb as Verb)])) as unknown as Answering;
}

type Refused = Pick<ApiError, 'reason' | 'metadata' | 'status' | 'fieldViolations'>;

const errorOf = ({ reason, metadata, status, fieldViolations }: Refused) =>
  new ApiError(reason, metadata as never, { status, fieldViolations });
