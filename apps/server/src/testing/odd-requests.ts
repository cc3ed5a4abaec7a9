import {
  type Field,
  hasBody,
  type Message,
  type Operation,
  operations,
  pathParameters,
  valueAt,
} from '@hilltop/contract';
import type { TestApp } from './test-app.ts';

/** Values that a broken or malicious client may send. */
export const odd: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 1e300],
  ...['', ' ', '-1', '9223372036854775807', '9223372036854775808', '1e3', 'NaN', 'NO_SUCH_NAME'],
  ...[
    'a\0b',
    '\ud800',
    '\u202e\u0007\r\nSet-Cookie: a=b',
    "'; drop table organization; --",
    '%_\\%',
    '../../etc/passwd',
  ],
  ...['<img src=x onerror=alert(1)>', 'é'.repeat(101), 'x'.repeat(20_000), '0'.repeat(400)],
  ...['ffffffffffffffff', 'FFFFFFFFFFFFFFFG', '00000000-0000-4000-8000-000000000000', 'AA=', '30', '-30s', '99999999h'],
  ...['2026-02-30T00:00:00Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999-23:59'],
  ...[[], [null], [[[[]]]], [{}], ['x'], [-1, 2 ** 32], Array.from({ length: 2000 }, () => 7)],
  ...[{}, { a: 1 }, { a: null }, { a: { b: {} } }, { 'a\0b': 'x' }, { a: 'b\0c' }, { '\ud800': '\udfff' }, { '-1': 1 }],
  { [`${'x'.repeat(50_000)}`]: 1 },
  JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'),
];

type Request = Record<string, unknown>;

/** A valid request: `known` supplies values by field name, samples the other required ones. */
export function wellMeant({ fields }: Message, known: Readonly<Request>): Request {
  const request: Request = {};
  for (const [name, field] of Object.entries(fields)) {
    if (name in known) request[name] = known[name];
    else if (field.kind === 'message') request[name] = wellMeant(field.message!, known);
    else if (field.facts.required) request[name] = sample(field);
  }
  return request;
}

/**
 * The id of a record by resource, for each resource with a create and an update, except existing ones. `known` has the
 * records they refer to.
 */
export async function oneOfEach(
  app: TestApp,
  known: Readonly<Request>,
  made: Readonly<Record<string, object>>,
): Promise<Record<string, Request>> {
  const found: Record<string, Request> = {};
  for (const [resource, ofResource] of Object.entries<Readonly<Record<string, Operation>>>(operations)) {
    const { create, update } = ofResource;
    if (create && update && !(resource in made))
      found[resource] = await app.call(create, wellMeant(create.request, known) as never);
  }
  return found;
}

function sample({ kind, facts }: Field): unknown {
  if (kind === 'text') return facts.pattern?.includes('@') ? 'somebody@example.org' : 'something-else';
  if (kind === 'aes128Key') return '01'.repeat(16);
  if (kind === 'devAddr') return '01020304';
  return kind === 'timestamp' ? '2026-01-01T00:00:00Z' : 1;
}

/** The request with one field after the other replaced, including fields of sub-objects and list elements. */
export function* spoiled({ fields }: Message, meant: Request, value: unknown): Generator<[field: string, Request]> {
  for (const [name, field] of Object.entries(fields)) {
    yield [name, { ...meant, [name]: value }];
    const inner = field.message ?? field.of?.message;
    if (!inner) continue;
    const isOne = field.kind === 'message';
    for (const [path, replaced] of spoiled(inner, isOne ? (meant[name] as Request) : {}, value))
      yield [`${name}.${path}`, { ...meant, [name]: isOne ? replaced : [replaced] }];
  }
}

/** An address has 16 kB at most, all parts together. */
const longestPart = 3000;

function asText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return encodeURIComponent(text.toWellFormed().slice(0, longestPart).toWellFormed());
}

/** Path and body, or path and query for an operation without body. */
export function asHTTP(operation: Operation, request: Request): { path: string; body: string | undefined } {
  const parameters = pathParameters(operation);
  const path = parameters.reduce(
    (template, { name, path: place }) =>
      template.replace(`{${name}}`, asText(valueAt(request, place.join('.'))) || '%20'),
    operation.path,
  );
  if (hasBody(operation)) return { path, body: JSON.stringify(request) };
  const inPath = new Set(parameters.map(({ path: [first] }) => first));
  const query = Object.entries(request)
    .filter(([name]) => !inPath.has(name))
    .flatMap(([name, value]) =>
      [value]
        .flat()
        .slice(0, 50)
        .map((one) => `${name}=${asText(one)}`),
    );
  return { path: query.length === 0 ? path : `${path}?${query.join('&')}`, body: undefined };
}
