/** The record of an operation: all facts about one call, declared once. */
import type { Access, Effect } from './access.ts';
import { type FilterFields, filterTexts } from './filter.ts';
import { shortText } from './rules.ts';
import {
  count,
  type Field,
  type Fields,
  int32,
  list,
  type Message,
  message,
  type PartOf,
  protoName,
  text,
  type ValueOf,
} from './wire.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Operation<Request extends Message = Message, Response extends Message = Message> {
  /** `<resource>.<verb>`, such as `device.getKeys`. */
  readonly key: string;
  /** The proto package: `api` is recorded and never changes, `hilltop` is our own. */
  readonly package: 'api' | 'hilltop';
  readonly service: string;
  readonly rpc: string;
  /** Name of the swagger document, such as `deviceProfile`. */
  readonly document: string;
  readonly method: Method;
  /** Template with proto names, such as `/api/devices/{device.dev_eui}`. */
  readonly path: string;
  readonly summary: string;
  readonly request: Request;
  readonly response: Response;
  readonly access: Access;
  readonly effect: Effect;
  /** The server responds with many items until the caller closes the stream. */
  readonly stream: boolean;
  /** The most bytes of a JSON body, for calls that send a file; the usual limit without it. */
  readonly largestBody?: number;
}

/** Anybody may make the call: it needs no token. */
export function isPublic({ access }: Operation): boolean {
  return access.cases.every(({ allow }) => allow.includes('public'));
}

/** The input of a handler: the whole request message, with path, query and body merged. */
export type RequestOf<O> = O extends Operation<infer Request, Message> ? ValueOf<Request> : never;
export type ResponseOf<O> = O extends Operation<Message, infer Response> ? ValueOf<Response> : never;
/** The input of a caller. */
export type InputOf<O> = PartOf<RequestOf<O>>;

export const Empty = message('google.protobuf.Empty', {});

interface Call<Request extends Message, Response extends Message> {
  readonly summary: string;
  readonly request?: Request;
  readonly response?: Response;
  readonly access: Access;
  /** Without it, GET and streams are `read` and all others `change`. */
  readonly effect?: Effect;
  readonly largestBody?: number;
}

export type Unnamed<Request extends Message = Message, Response extends Message = Message> = Omit<
  Operation<Request, Response>,
  'key' | 'package' | 'service' | 'rpc' | 'document'
>;

function route(method: Method, stream = false) {
  return <Request extends Message = typeof Empty, Response extends Message = typeof Empty>(
    path: string,
    call: Call<Request, Response>,
  ): Unnamed<Request, Response> => {
    const request = (call.request ?? Empty) as Request;
    const response = (call.response ?? Empty) as Response;
    const { summary, access, largestBody, effect = method === 'GET' ? 'read' : 'change' } = call;
    return { method, path, summary, request, response, access, effect, stream, ...(largestBody && { largestBody }) };
  };
}

export const get = route('GET');
export const post = route('POST');
export const put = route('PUT');
export const remove = route('DELETE');
export const stream = route('GET', true);

type Named<T> = { readonly [V in keyof T]: T[V] extends Unnamed<infer Q, infer A> ? Operation<Q, A> : never };

type Calls = Record<string, Unnamed>;

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function named<T extends Calls>(resource: string, service: Pick<Operation, 'package' | 'service'>, calls: T): Named<T> {
  const operations = Object.entries(calls).map(([verb, call]) => {
    return [verb, { key: `${resource}.${verb}`, ...service, rpc: capital(verb), document: resource, ...call }];
  });
  return Object.fromEntries(operations) as Named<T>;
}

/** Names the calls of one resource: the capitalized verb is the RPC, the resource is the swagger document. */
export function operationsOf<T extends Calls>(resource: string, service: string, calls: T): Named<T> {
  return named(resource, { package: 'api', service }, calls);
}

/** The same for calls that the recorded API does not have: `hilltop.SessionService` in a document called `session`. */
export function ownOperationsOf<T extends Calls>(resource: string, calls: T): Named<T> {
  return named(resource, { package: 'hilltop', service: `${capital(resource)}Service` }, calls);
}

/** The most rows of a response, whatever limit is given: clients of version 3 request all rows. */
const rowsPerPage = { label: 'Rows per page', min: 0, clamp: 10_000 } as const;

/** The common parameters of lists. `limit` 0 returns no rows but the true total. */
export const page = {
  limit: count(rowsPerPage),
  offset: count({ label: 'Rows to skip', min: 0 }),
} as const;

/** The same for lists whose wire format declares 32 bits. */
export const smallPage = {
  limit: int32(rowsPerPage),
  offset: int32({ label: 'Rows to skip', min: 0 }),
} as const;

/** The sort order of a list: a field of its rows, descending with a leading `-`; empty for the usual order. */
export type OrderBy<Name extends string> = '' | Name | `-${Name}`;
/** The fields by which a list can be sorted. */
export type SortableBy<O> = RequestOf<O> extends { orderBy: OrderBy<infer Name> } ? Name : never;

type Numbered = Readonly<Record<string, readonly [number: number, field: Field]>>;

/**
 * A recorded message with members of our own. Their numbers begin at 1000, far above those of the published API, so an
 * older server skips them. Members of responses are declared by `ifGiven`.
 */
export function extended<F extends Fields, const More extends Numbered>(
  recorded: Message<F>,
  ours: More,
): Message<F & { readonly [Name in keyof More]: More[Name][1] }> {
  const added = Object.entries(ours).map(([name, [, field]]) => [name, field] as const);
  const fields = { ...recorded.fields, ...Object.fromEntries(added) };
  const numbers = [...recorded.numbers, ...Object.values(ours).map(([number]) => number)];
  return message(recorded.name, fields, numbers) as Message<F & { [Name in keyof More]: More[Name][1] }>;
}

/** The request of a list that can be sorted by these fields of its rows, as spelled on the wire. */
export function sortable<F extends Fields, Row extends Message, const Name extends keyof Row['fields'] & string>(
  request: Message<F>,
  _row: Row,
  ...names: readonly Name[]
): Message<F & { readonly orderBy: Field<OrderBy<Name>> }> {
  const orderBy = text({
    label: 'Order',
    help: 'The field to sort by; a leading - sorts in descending order.',
    values: names.flatMap((name) => [name, `-${name}`]),
  }) as Field<OrderBy<Name>>;
  return extended(request, { orderBy: [1000, orderBy] });
}

/** The request of a list whose rows can be filtered by these fields: `filter`. */
export function filterable<F extends Fields>(request: Message<F>, fields: FilterFields) {
  return extended(request, { filter: [1001, filterTexts(fields)] });
}

/** The request of a list that can be searched, where the recorded one cannot: `search`. */
export function searchable<F extends Fields>(request: Message<F>) {
  const search = text({ ...shortText, label: 'Search', help: 'Part of the name, in any letter case.' });
  return extended(request, { search: [1004, search] });
}

/** A request that can ask for members of our own in its response: `include`. */
export function including<F extends Fields, const Name extends string>(request: Message<F>, ...names: readonly Name[]) {
  const include = text({ label: 'Also answered', help: 'Additions to the recorded API.', values: names });
  return extended(request, { include: [1002, include as Field<'' | Name>] });
}

/** The same for several members at once: `include=state,tags`, or `include` once for each. */
export function includingSome<F extends Fields, const Name extends string>(
  request: Message<F>,
  ...names: readonly Name[]
) {
  const include = list(text({ values: names }) as Field<Name>, {
    label: 'Also answered',
    help: 'Additions to the recorded API, separated by commas.',
    isCommaSeparated: true,
    maxEntries: names.length,
  });
  return extended(request, { include: [1002, include] });
}

export interface PathParameter {
  /** The name in the template: `device.dev_eui`. */
  readonly name: string;
  /** JSON names from the request message down: `['device', 'devEUI']`. */
  readonly path: readonly string[];
  readonly field: Field;
}

function fieldByProtoName(fields: Fields, proto: string): readonly [string, Field] {
  const found = Object.entries(fields).find(([name, field]) => protoName(name, field) === proto);
  if (!found) throw new Error(`No field has the proto name ${proto}.`);
  return found;
}

const parametersByOperation = new WeakMap<Operation, readonly PathParameter[]>();

/** The parameters of the path template, in order. */
export function pathParameters(operation: Operation): readonly PathParameter[] {
  let parameters = parametersByOperation.get(operation);
  if (!parameters) {
    parameters = parametersIn(operation);
    parametersByOperation.set(operation, parameters);
  }
  return parameters;
}

function parametersIn(operation: Operation): readonly PathParameter[] {
  return [...operation.path.matchAll(/\{([^}]+)\}/g)].map((found) => {
    let fields = operation.request.fields;
    const path: string[] = [];
    let last: Field | undefined;
    for (const part of found[1]!.split('.')) {
      const [name, field] = fieldByProtoName(fields, part);
      path.push(name);
      fields = field.message?.fields ?? {};
      last = field;
    }
    return { name: found[1]!, path, field: last! };
  });
}

/** The path for a router, with positional names without dots: `/api/devices/:p0`. */
export function routePath({ path }: Pick<Operation, 'path'>): string {
  let position = 0;
  return path.replace(/\{[^}]+\}/g, () => `:p${position++}`);
}

/** Whether the call has a JSON body: a POST or PUT with fields beside its path. */
export function hasBody(operation: Operation): boolean {
  if (operation.method !== 'POST' && operation.method !== 'PUT') return false;
  const inPath = new Set(pathParameters(operation).map(({ path }) => path.join('.')));
  return Object.keys(operation.request.fields).some((name) => !inPath.has(name));
}
