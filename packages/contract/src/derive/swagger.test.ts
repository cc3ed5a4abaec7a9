import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import SwaggerParser from '@apidevtools/swagger-parser';
import additions from '../golden/additions.json' with { type: 'json' };
import definitions from '../golden/definitions.json' with { type: 'json' };
import enumerations from '../golden/enumerations.json' with { type: 'json' };
import recorded from '../golden/operations.json' with { type: 'json' };
import { documentNames, mergedSwaggerDocument, type Schema, type SwaggerDocument, swaggerDocument } from './swagger.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly type?: string;
  readonly format?: string;
  readonly schema?: { readonly $ref: string };
}

interface Item {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly responses: { readonly 200: { readonly schema: { readonly $ref?: string; readonly properties?: object } } };
}

type RecordedField = { readonly name: string; readonly type: string; readonly format?: string };

function itemOf(document: SwaggerDocument, path: string, method: string): Item {
  return document.paths[path]?.[method.toLowerCase()] as Item;
}

/** Members that are not in the recorded API. */
function addedTo(message: string): readonly (readonly [string, number, string])[] {
  return (additions as unknown as Readonly<Record<string, readonly [string, number, string][]>>)[message] ?? [];
}

/** The types of the additions to queries that documents write in another way. */
const typeInQuery: Readonly<Record<string, string>> = { int64: 'string:int64', 'repeated string': 'array' };

/** The notation of a property in the recorded types: `string:int64`, `array<apiDevice>`, `map<string,integer>`. */
function written(schema: Schema): { type: string; format?: string } {
  const { type, format, items, additionalProperties, $ref } = schema as Record<string, Schema & string>;
  if ($ref) return { type: String($ref).replace('#/definitions/', '') };
  if (items) {
    const inner = written(items);
    return { ...inner, type: `array<${inner.type}>` };
  }
  if (additionalProperties) {
    const inner = written(additionalProperties);
    return { ...inner, type: `map<string,${inner.type}>` };
  }
  return { type: String(type), ...(format && { format: String(format) }) };
}

/** The parser changes its input, so it gets a copy. */
type ParserInput = Parameters<typeof SwaggerParser.validate>[0];
function copyOf(document: SwaggerDocument): ParserInput {
  return structuredClone(document) as unknown as ParserInput;
}

describe('swagger documents', () => {
  for (const name of documentNames) {
    it(`${name} is valid Swagger 2.0`, async () => {
      const document = swaggerDocument(name)!;
      await SwaggerParser.validate(copyOf(document));
      assert.deepEqual(Object.keys(document).slice(0, 5), ['swagger', 'info', 'schemes', 'consumes', 'produces']);
      assert.equal(document.info.version, 'version not set');
    });
  }

  it('state the limits that the server enforces: characters, entries and the characters of each entry', () => {
    const { properties } = swaggerDocument('device')!.definitions['apiDevice'] as {
      properties: Record<string, Schema>;
    };
    assert.equal(properties['description']!['maxLength'], 4096);
    assert.equal(properties['tags']!['maxProperties'], 64);
    assert.equal((properties['tags']!['additionalProperties'] as Schema)['maxLength'], 1024);
  });

  it('exist for the known names only', () => {
    assert.equal(swaggerDocument('devices'), undefined);
    assert.equal(swaggerDocument('__proto__'), undefined);
  });

  for (const recordedOperation of recorded) {
    it(`${recordedOperation.service} ${recordedOperation.rpc} has the tag, id, parameters and schemas clients know`, () => {
      const document = swaggerDocument(recordedOperation.document)!;
      const item = itemOf(document, recordedOperation.path, recordedOperation.method);
      assert.equal(item.operationId, recordedOperation.rpc);
      assert.deepEqual(item.tags, [recordedOperation.service]);
      const parameters = (item.parameters ?? []).filter((one) => one.in !== 'body');
      assert.deepEqual(
        parameters.map(({ name, in: place, type, format }) => [name, place, format ? `${type}:${format}` : type]),
        [
          ...recordedOperation.pathParams.map(({ name, type }) => [name, 'path', type]),
          ...recordedOperation.queryParams.map(({ name, type }) => [name, 'query', type]),
          ...(recordedOperation.body === null ? addedTo(recordedOperation.requestMessage) : []).map(
            ([name, , type]) => [name, 'query', typeInQuery[type] ?? type],
          ),
        ],
      );
      const body = (item.parameters ?? []).find((one) => one.in === 'body');
      assert.equal(
        body?.schema?.$ref ?? null,
        recordedOperation.body === null ? null : `#/definitions/${recordedOperation.body}`,
      );
      if (body) assert.deepEqual([body.name, body.required], ['body', true]);
      const { schema } = item.responses[200];
      if (recordedOperation.response === null) assert.deepEqual(schema, { properties: {} });
      else
        assert.equal(
          schema.$ref,
          `#/${recordedOperation.stream ? 'x-stream-definitions' : 'definitions'}/${recordedOperation.response}`,
        );
    });
  }

  const merged = mergedSwaggerDocument('Hilltop');

  it('have in one document all operations of a path, recorded and our own', () => {
    assert.deepEqual(Object.keys(merged.paths['/api/internal/api-keys/{id}']!).toSorted(), ['delete', 'put']);
  });

  for (const [name, recordedFields] of Object.entries(
    definitions as Readonly<Record<string, readonly RecordedField[]>>,
  )) {
    it(`${name} is defined as recorded`, () => {
      const ours = merged.definitions[name];
      assert.ok(ours);
      const properties = Object.entries((ours['properties'] ?? {}) as Record<string, Schema>);
      const added = addedTo(name.replace(/^api/, 'api.')).map(([field]) => field);
      const known = properties.filter(([field]) => !added.includes(field));
      assert.deepEqual(
        known.map(([field, schema]) => ({ name: field, ...written(schema) })),
        recordedFields.map(({ name: field, type, format }) => ({
          name: field,
          type,
          ...(format && { format }),
        })),
      );
    });
  }

  for (const [name, numbers] of Object.entries(enumerations)) {
    it(`${name} is defined by its names`, () => {
      const names = Object.keys(numbers);
      assert.deepEqual(merged.definitions[name.replace('.', '')], { type: 'string', enum: names, default: names[0] });
    });
  }

  it('list the sort orders of a list', () => {
    const list = itemOf(swaggerDocument('serviceProfile')!, '/api/service-profiles', 'GET');
    assert.deepEqual(
      list.parameters?.find(({ name }) => name === 'orderBy'),
      {
        name: 'orderBy',
        description: 'Order. The field to sort by; a leading - sorts in descending order.',
        in: 'query',
        required: false,
        type: 'string',
        enum: ['name', '-name', 'networkServerName', '-networkServerName', 'createdAt', '-createdAt'],
      },
    );
  });

  it('merge into one valid document without titles of schemas', async () => {
    await SwaggerParser.validate(copyOf(merged), { validate: { spec: false } });
    assert.deepEqual(merged.info, { title: 'Hilltop REST API', version: '1.0.0' });
    assert.ok(!JSON.stringify([merged.paths, merged.definitions]).includes('"title":'));
    const device = merged.definitions['apiDevice']?.['properties'] as Record<string, Schema>;
    assert.match(String(device['skipFCntCheck']?.['description']), /^Disable frame-counter validation\./);
  });

  it('describe streams by their item and error', () => {
    const streams = swaggerDocument('device')!['x-stream-definitions'];
    const item = streams?.['apiStreamDeviceEventLogsResponse'] as { properties: Record<string, Schema> };
    assert.deepEqual(item.properties['error'], { $ref: '#/definitions/runtimeStreamError' });
  });
});
