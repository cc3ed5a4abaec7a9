import type { IncomingHttpHeaders } from 'node:http';
import {
  ApiError,
  isPublic,
  type Operation,
  type RequestOf,
  type ResponseOf,
  unauthenticated,
  valueAt,
} from '@hilltop/contract';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { Violation } from '../database/violation.ts';
import { checkAccess } from '../identity/access.ts';
import type { Principal, Principals } from '../identity/principals.ts';
import type { Metrics } from '../metrics.ts';
import { tokenOf } from './authentication.ts';
import { toApiError } from './errors.ts';
import type { LargeAnswers } from './large-answers.ts';
import { missingReference } from './missing-reference.ts';
import type { RateLimit } from './rate-limit.ts';

/** How a call arrived, by REST or by gRPC. */
export interface CallArrival {
  requestID: string;
  /** The address of the caller, for throttling. */
  address: string;
  /** Whether the caller uses TLS, to this server or to a proxy in front of it. */
  isSecure: boolean;
  headers: IncomingHttpHeaders;
  /** Adds a header to the answer. */
  tell: (header: string, value: string) => void;
  /** Logs with the request id on each line. */
  log: Logger;
}

/** What a handler knows about the call besides its request. The access rules have been checked. */
export interface Context extends CallArrival {
  principal: Principal;
}

export type Handler<O> = (request: RequestOf<O>, context: Context) => Promise<ResponseOf<O>> | ResponseOf<O>;

/** One handler per unary operation of a resource; the compiler lists missing ones. Streams are in `live.ts`. */
export type Handlers<R> = { readonly [Verb in Exclude<keyof R, `stream${string}`>]: Handler<R[Verb]> };

/** Callbacks while a call is processed. */
export interface ReadRequest {
  read: () => RequestOf<Operation> | Promise<RequestOf<Operation>>;
  /** Called with the caller for the log: `user 3`. */
  known: (caller: string) => void;
}

/** Writes calls to the audit log: `CallAudit`. */
interface CallAuditor {
  /** Runs the handler of a call. */
  run: (
    operation: Operation,
    request: RequestOf<Operation>,
    context: Context,
    handle: () => Promise<ResponseOf<Operation>>,
  ) => Promise<ResponseOf<Operation>>;
  refused: (
    operation: Operation,
    request: unknown,
    by: Pick<Context, 'principal' | 'address'> & Partial<Pick<Context, 'requestID'>>,
  ) => Promise<void>;
}

export interface CallDependencies {
  bus: Pick<Bus, 'changeCount' | 'confirmed'>;
  database: Database;
  principals: Principals;
  rateLimit: RateLimit;
  largeAnswers: LargeAnswers;
  audit: CallAuditor;
  metrics: Pick<Metrics, 'beginCall'>;
}

/** The path of every unary call: identify the caller, parse the request, check the access rules, call the handler. */
export async function perform(
  needs: CallDependencies,
  operation: Operation,
  handle: Handler<Operation>,
  arriving: CallArrival & ReadRequest,
): Promise<ResponseOf<Operation>> {
  const ended = needs.metrics.beginCall(operation);
  const changesBefore = needs.bus.changeCount();
  try {
    const response = await act(needs, operation, handle, arriving);
    // After this answer the client may call another instance, which must know the change by then.
    const confirmed = operation.method === 'GET' ? undefined : needs.bus.confirmed(changesBefore);
    if (confirmed) await confirmed;
    ended('OK');
    return response;
  } catch (error) {
    ended(toApiError(error, operation).status);
    throw error;
  }
}

/**
 * Refuses a call before its body is read, where the caller and the path decide. `inPath` is the part of the request that
 * the path has.
 */
export async function refuseBeforeBody(
  needs: CallDependencies,
  operation: Operation,
  inPath: object,
  arrival: Pick<CallArrival, 'headers' | 'address'>,
): Promise<void> {
  const principal = await principalOf(needs, arrival, operation);
  const { access } = operation;
  const isKnown = (path: string | undefined) => path === undefined || valueAt(inPath, path) !== undefined;
  const isDecided = access.cases.every(({ when, of, user }) => when === undefined && isKnown(of) && isKnown(user));
  if (isDecided) await checkRights(needs, operation, inPath, { ...arrival, principal });
}

/** Checks the access rules. The audit log has refused calls. */
async function checkRights(
  needs: CallDependencies,
  operation: Operation,
  request: object,
  by: Pick<Context, 'principal' | 'address'> & Partial<Pick<Context, 'requestID'>>,
): Promise<void> {
  try {
    await checkAccess(needs, operation, request, by.principal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 'PermissionDenied')
      await needs.audit.refused(operation, request, by);
    throw error;
  }
}

async function act(
  needs: CallDependencies,
  operation: Operation,
  handle: Handler<Operation>,
  { read, known, ...arrival }: CallArrival & ReadRequest,
): Promise<ResponseOf<Operation>> {
  const identified = principalOf(needs, arrival, operation);
  const principal = identified instanceof Promise ? await identified : identified;
  if (principal) known(`${principal.kind === 'user' ? 'user' : 'API key'} ${principal.id}`);
  const counted = principal && needs.rateLimit.ofCaller(principal);
  if (counted) await counted;
  const reading = read();
  const message = reading instanceof Promise ? await reading : reading;
  const { address } = arrival;
  const context = { ...arrival, principal };
  await checkRights(needs, operation, message, context);
  const handled = () => needs.audit.run(operation, message, context, async () => handle(message, context));
  return needs.largeAnswers.build({ operation, request: message, address }, handled).catch(async (error: unknown) => {
    const isMissing = error instanceof Violation && error.kind === 'missing';
    throw isMissing ? await missingReference(needs.database, message as object) : error;
  });
}

/** The caller, identified by the token of the headers. Public operations ignore tokens, valid or not. */
function principalOf(
  { principals, rateLimit }: CallDependencies,
  { headers, address }: Pick<CallArrival, 'headers' | 'address'>,
  operation: Operation,
): Principal | Promise<Principal> {
  if (isPublic(operation)) return Promise.resolve(rateLimit.ofAddress(address)).then(() => null);
  const token = tokenOf(headers);
  const use = { nobody: isUnattended(headers), address };
  const cached = token === null ? undefined : principals.cached(token, use);
  if (cached) return cached;
  const found = token === null ? Promise.reject(unauthenticated()) : principals.ofToken(token, use);
  return found.catch(async (error: unknown) => {
    if (error instanceof ApiError) await rateLimit.ofAddress(address);
    throw error;
  });
}

/** The console polls and marks such calls as unattended: they do not count as use of the session. */
function isUnattended(headers: IncomingHttpHeaders): boolean {
  return headers['hilltop-unattended'] !== undefined;
}
