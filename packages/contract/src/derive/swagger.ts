/** The API as Swagger 2.0 documents, with the names, tags and operation ids of generated clients. */
import { DeviceProfile } from '../device-profile.ts';
import { StreamDeviceFrameLogsResponse } from '../frame-log.ts';
import { kinds } from '../kinds.ts';
import { type NotServed, notServed } from '../not-served.ts';
import { Empty, hasBody, type Operation, pathParameters } from '../operation.ts';
import { allOperations } from '../operations.ts';
import { ServiceProfile } from '../service-profile.ts';
import type { Facts, Field, Message } from '../wire.ts';

/** The parts of JSON Schema that are used here. */
export type Schema = { [name: string]: unknown };

export interface SwaggerDocument {
  readonly swagger: '2.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly schemes: readonly string[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly paths: Readonly<Record<string, Schema>>;
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly 'x-stream-definitions'?: Readonly<Record<string, Schema>>;
}

/** Definitions of documents without operations. */
const definitionsOnly: Readonly<Record<string, readonly Message[]>> = {
  frameLog: [...messagesIn(StreamDeviceFrameLogsResponse)],
  profiles: [ServiceProfile, DeviceProfile],
};

/** Every document, by its name. */
export const documentNames: readonly string[] = [
  ...new Set([...[...allOperations, ...notServed].map(({ document }) => document), ...Object.keys(definitionsOnly)]),
].sort();

const streamError = {
  protobufAny: {
    type: 'object',
    properties: { typeUrl: { type: 'string' }, value: { type: 'string', format: 'byte' } },
  },
  runtimeStreamError: {
    type: 'object',
    properties: {
      grpcCode: { type: 'integer', format: 'int32' },
      httpCode: { type: 'integer', format: 'int32' },
      message: { type: 'string' },
      httpStatus: { type: 'string' },
      details: { type: 'array', items: { $ref: '#/definitions/protobufAny' } },
    },
  },
} as const;

function messagesIn(of: Message): readonly Message[] {
  return Object.values(of.fields).flatMap(({ message }) => (message ? [message] : []));
}

/** `api.Device` is `apiDevice` in the documents. */
function definitionName(name: string): string {
  return name.replace('.', '');
}

function words({ label, help, unit }: Facts): string | undefined {
  const named = label === undefined ? undefined : unit === undefined ? `${label}.` : `${label} (${unit}).`;
  return named === undefined || help === undefined ? named : `${named} ${help}`;
}

function limits({ min, max, minLength, maxLength, maxEntries, pattern, values }: Facts, type: string): Schema {
  if (type === 'string')
    return {
      ...(minLength && { minLength }),
      ...(maxLength && { maxLength }),
      ...(pattern && { pattern }),
      ...(values && { enum: [...values] }),
    };
  if (type === 'array') return { ...(maxEntries && { maxItems: maxEntries }) };
  if (type === 'object') return { ...(maxEntries && { maxProperties: maxEntries }) };
  return { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
}

/** The items of a list or the values of a map, with their own limits. */
function entriesOf(field: Field): Schema {
  const type = typeOf(field);
  return '$ref' in type ? type : { ...type, ...limits(field.facts, String(type['type'])) };
}

function typeOf(field: Field): Schema {
  switch (field.kind) {
    case 'message':
      return { $ref: `#/definitions/${definitionName(field.message!.name)}` };
    case 'enumeration':
      return { $ref: `#/definitions/${definitionName(field.enumeration!.name)}` };
    case 'list':
      return { type: 'array', items: entriesOf(field.of!) };
    case 'map':
      return { type: 'object', additionalProperties: entriesOf(field.of!) };
    default:
      return { ...kinds[field.kind].swagger };
  }
}

function property(field: Field): Schema {
  const type = typeOf(field);
  if ('$ref' in type) return type;
  const title = words(field.facts);
  return { ...type, ...limits(field.facts, String(type['type'])), ...(title && { title }) };
}

/** The recorded API writes 64-bit integers as text; our own messages write counts as numbers, which stay below 2^53. */
function propertyOf(of: Message, field: Field): Schema {
  const isNumber = field.kind === 'count' && of.name.startsWith('hilltop.');
  return { ...property(field), ...(isNumber && { type: 'integer', format: 'int64' }) };
}

/** Adds a message and everything it refers to. */
function define(definitions: Record<string, Schema>, of: Message): void {
  const name = definitionName(of.name);
  if (definitions[name] || of === Empty) return;
  const properties = Object.entries(of.fields).map(([field, one]) => [field, propertyOf(of, one)] as const);
  definitions[name] = { type: 'object', ...(properties.length > 0 && { properties: Object.fromEntries(properties) }) };
  for (const field of Object.values(of.fields)) {
    const inner = field.of ?? field;
    if (inner.message) define(definitions, inner.message);
    if (inner.enumeration) {
      const { name: enumName, names } = inner.enumeration;
      definitions[definitionName(enumName)] = { type: 'string', enum: [...names], default: names[0] };
    }
  }
}

function queryParameters(operation: Operation): Schema[] {
  const inPath = new Set(pathParameters(operation).map(({ path }) => path[0]));
  return Object.entries(operation.request.fields)
    .filter(([name, { kind }]) => !inPath.has(name) && kind !== 'map')
    .map(([name, field]) => {
      const description = words(field.facts);
      const { values, isCommaSeparated } = field.facts;
      return {
        name,
        ...(description && { description }),
        in: 'query',
        required: false,
        ...typeOf(field),
        ...(values && { enum: [...values] }),
        ...(field.kind === 'list' && { collectionFormat: isCommaSeparated ? 'csv' : 'multi' }),
      };
    });
}

function parameters(operation: Operation): Schema[] {
  const path = pathParameters(operation).map(({ name, field }) => ({
    name,
    in: 'path',
    required: true,
    ...typeOf(field),
  }));
  if (!hasBody(operation)) return [...path, ...queryParameters(operation)];
  const schema = { $ref: `#/definitions/${definitionName(operation.request.name)}` };
  return [...path, { name: 'body', in: 'body', required: true, schema }];
}

function responseOf({ response, stream }: Operation): Schema {
  const name = definitionName(response.name);
  if (response === Empty) return { description: 'A successful response.', schema: { properties: {} } };
  if (!stream) return { description: 'A successful response.', schema: { $ref: `#/definitions/${name}` } };
  return {
    description: 'A successful response.(streaming responses)',
    schema: { $ref: `#/x-stream-definitions/${name}` },
  };
}

function pathItem(operation: Operation): Schema {
  const given = parameters(operation);
  return {
    summary: `${operation.summary}.`,
    operationId: operation.rpc,
    responses: { '200': responseOf(operation) },
    ...(given.length > 0 && { parameters: given }),
    tags: [operation.service],
  };
}

/** Its messages are added when it is implemented. */
function notServedItem({ service, rpc, method, path, query }: NotServed): Schema {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }));
  const inQuery = query.map((name) => ({ name, in: 'query', required: false }));
  const body = { name: 'body', in: 'body', required: true, schema: { type: 'object' } };
  return {
    summary: 'Not served yet.',
    operationId: rpc,
    responses: { '501': { description: 'Code 12: the server does not offer this yet.' } },
    parameters: [
      ...[...inPath, ...inQuery].map((one) => ({ ...one, type: 'string' })),
      ...(method === 'POST' || method === 'PUT' ? [body] : []),
    ],
    tags: [service],
  };
}

function sorted<T>(of: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(of).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function frame(title: string, version: string) {
  const json = ['application/json'];
  return {
    swagger: '2.0',
    info: { title, version },
    schemes: ['http', 'https'],
    consumes: json,
    produces: json,
  } as const;
}

/** One document, such as `device` for `/swagger/device.swagger.json`; undefined when there is none of this name. */
export function swaggerDocument(name: string): SwaggerDocument | undefined {
  if (!documentNames.includes(name)) return undefined;
  const operations = allOperations.filter(({ document }) => document === name);
  const folder = operations.some((one) => one.package === 'hilltop') ? 'hilltop' : 'as/external/api';
  const paths: Record<string, Schema> = {};
  const definitions: Record<string, Schema> = {};
  const streams: Record<string, Schema> = {};
  for (const message of definitionsOnly[name] ?? []) define(definitions, message);
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: pathItem(operation) };
    define(definitions, operation.response);
    if (hasBody(operation)) define(definitions, operation.request);
    if (operation.stream) streams[definitionName(operation.response.name)] = streamDefinition(operation.response);
  }
  for (const call of notServed.filter(({ document }) => document === name))
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: notServedItem(call) };
  if (Object.keys(streams).length > 0) Object.assign(definitions, streamError);
  return {
    ...frame(`${folder}/${name}.proto`, 'version not set'),
    paths,
    definitions: sorted(definitions),
    ...(Object.keys(streams).length > 0 && { 'x-stream-definitions': sorted(streams) }),
  };
}

function streamDefinition({ name }: Message): Schema {
  return {
    type: 'object',
    properties: {
      result: { $ref: `#/definitions/${definitionName(name)}` },
      error: { $ref: '#/definitions/runtimeStreamError' },
    },
    title: `Stream result of ${definitionName(name)}`,
  };
}

/** Turns each title of a schema into its description. A field with the name `title` stays. */
function withDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const renamed = name === 'title' && typeof one === 'string' ? 'description' : name;
    return [renamed, withDescriptions(one)] as const;
  });
  return Object.fromEntries(entries);
}

/** One path can have operations of several documents. */
function mergedPaths(documents: readonly SwaggerDocument[]): Record<string, Schema> {
  const paths: Record<string, Schema> = {};
  for (const document of documents)
    for (const [path, item] of Object.entries(document.paths)) paths[path] = { ...paths[path], ...item };
  return paths;
}

/** All documents in one, `/swagger/api.swagger.json`, for readers of the API. */
export function mergedSwaggerDocument(product: string): SwaggerDocument {
  const all = documentNames.map((name) => swaggerDocument(name)!);
  const merge = (part: (document: SwaggerDocument) => Readonly<Record<string, Schema>> | undefined) =>
    withDescriptions(Object.assign({}, ...all.map((document) => part(document) ?? {}))) as Record<string, Schema>;
  return {
    ...frame(`${product} REST API`, '1.0.0'),
    paths: withDescriptions(mergedPaths(all)) as Record<string, Schema>,
    definitions: sorted(merge(({ definitions }) => definitions)),
    'x-stream-definitions': sorted(merge((document) => document['x-stream-definitions'])),
  };
}
