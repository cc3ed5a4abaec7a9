import type { Operation, RequestOf, ResponseOf } from '@hilltop/contract';
import type { Logger } from 'pino';
import type { Principal } from './principals.ts';

/** What a handler knows about the call besides its request. Access has been checked already. */
export interface Context {
  principal: Principal;
  requestID: string;
  /** Puts the request id on each line. */
  log: Logger;
}

export type Handler<O extends Operation> = (
  request: RequestOf<O>,
  context: Context,
) => Promise<ResponseOf<O>> | ResponseOf<O>;

/** One handler per unary operation of a resource; the compiler lists what is missing. Streams live in `live.ts`. */
export type Handlers<R extends Record<string, Operation>> = {
  [Verb in keyof R as R[Verb] extends { stream: true } ? never : Verb]: Handler<R[Verb]>;
};
