/** Parses whole requests: path, query and body become one message. */
import { invalidFields } from './errors.ts';
import { hasBody, type Operation, type PathParameter, pathParameters, type RequestOf } from './operation.ts';
import { type Json, members, type Reading, readMessage, refuse, unsafeKeys } from './parse-message.ts';
import type { Message } from './wire.ts';

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parts of a query name: `tags[site]` and `a.b` address members of maps and messages. */
function partsOf(name: string): readonly string[] {
  return name.replace(/\[([^\]]*)\]/g, '.$1').split('.');
}

function placeInQuery(of: Message, raw: Json, name: string, values: readonly string[], reading: Reading): void {
  const [head = '', ...rest] = name.includes('[') || name.includes('.') ? partsOf(name) : [name];
  const member = members(of).find((one) => one.name === head || one.proto === head);
  if (!member) return;
  const { field } = member;
  const key = member.name === head ? member.name : member.proto;
  if (field.kind === 'list') raw[key] = field.facts.isCommaSeparated ? values.flatMap((one) => one.split(',')) : values;
  else if (values.length !== 1) refuse(reading, name, 'This must occur only once.');
  else if (rest.length === 0) raw[key] = values[0];
  else if (field.kind === 'map' && !unsafeKeys.has(rest.join('.')))
    raw[key] = { ...(raw[key] as Json), [rest.join('.')]: values[0] };
  else if (field.kind === 'message') {
    const inner: Json = { ...(raw[key] as Json) };
    placeInQuery(field.message!, inner, rest.join('.'), values, reading);
    raw[key] = inner;
  } else refuse(reading, head, 'This form is not supported.');
}

function rawFromQuery(of: Message, query: Query, reading: Reading): Json {
  const raw: Json = {};
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) placeInQuery(of, raw, name, typeof value === 'string' ? [value] : value, reading);
  }
  return raw;
}

/**
 * Sets a path value in place of the same field of the body. A missing sub-object stays missing, and is refused as such.
 */
function placePathValue(raw: Json, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    raw[name] = value;
    return;
  }
  const inner = raw[name];
  if (typeof inner !== 'object' || inner === null) return;
  const copy = { ...(inner as Json) };
  raw[name] = copy;
  placePathValue(copy, rest, value);
}

/** Renames sub-objects with path values to their JSON spelling, so that the path takes precedence in either. */
function bodyOf(operation: Operation, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const raw: Json = { ...(body as Json) };
  for (const { name, proto } of members(operation.request)) raw[name] ??= raw[proto];
  return raw;
}

interface Plan {
  readonly parameters: readonly PathParameter[];
  readonly isBody: boolean;
}

const plans = new WeakMap<Operation, Plan>();

function planOf(operation: Operation): Plan {
  let plan = plans.get(operation);
  if (!plan) {
    plan = { parameters: pathParameters(operation), isBody: hasBody(operation) };
    plans.set(operation, plan);
  }
  return plan;
}

export interface RawRequest {
  /** Values of the path parameters in order, decoded. */
  readonly path: readonly string[];
  readonly query?: Query;
  /** Parsed JSON; undefined or null when there was no body. */
  readonly body?: unknown;
}

/**
 * Reads a whole request: the query of a call without body, or else the body, with the path on top. Throws an ApiError
 * with code 3 that names every invalid field.
 */
export function parseRequest<O extends Operation>(operation: O, { path, query = {}, body }: RawRequest): RequestOf<O> {
  const { parameters, isBody } = planOf(operation);
  const reading: Reading = { violations: [], isText: !isBody };
  const raw = isBody ? bodyOf(operation, body ?? {}) : rawFromQuery(operation.request, query, reading);
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) {
    parameters.forEach((parameter, index) => {
      placePathValue(raw as Json, parameter.path, path[index] ?? '');
    });
  }
  const value = readMessage(raw, operation.request, '', reading);
  if (reading.violations.length > 0) throw invalidFields(reading.violations);
  return value as RequestOf<O>;
}
