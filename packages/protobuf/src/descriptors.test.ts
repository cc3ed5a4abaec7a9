import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { create, createFileRegistry, type DescField, fromBinary, ScalarType } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type DescribedService, describeServices } from './descriptors.ts';
import golden from './golden/packages.json' with { type: 'json' };
import { as, enumeration, map, message, ns, reflection } from './index.ts';

/** A member as in the published packages: name, number, type, proto name, oneof. */
type GoldenField = readonly [string, number, string, string, { oneof: string }?];

function registryOf(services: readonly DescribedService[]) {
  const file = describeServices(services).map(({ bytes }) => fromBinary(FileDescriptorProtoSchema, bytes));
  return createFileRegistry(create(FileDescriptorSetSchema, { file }));
}

function typeText(field: DescField): string {
  const single = field.message?.typeName ?? field.enum?.typeName ?? ScalarType[field.scalar!].toLowerCase();
  if (field.fieldKind === 'list') return `repeated ${single}`;
  if (field.fieldKind === 'map') return `map<${ScalarType[field.mapKey].toLowerCase()},${single}>`;
  return single;
}

function asGolden(field: DescField): GoldenField {
  const row = [field.jsonName, field.number, typeText(field), field.name] as const;
  return field.oneof ? [...row, { oneof: field.oneof.name }] : row;
}

type Declared = Readonly<Record<string, unknown>>;
const published: Readonly<Record<string, { messages: Declared; enums: Declared }>> = golden;

describe('file descriptors', () => {
  const registry = registryOf([ns.NetworkServerService, as.ApplicationServerService, reflection.v1.ServerReflection]);

  it('describe what the published packages declare', () => {
    const described = new Set<string>();
    for (const type of registry) {
      const [name, typeName] = type.typeName.split('.') as [string, string];
      const declared = published[name];
      if (!declared) continue;
      described.add(name);
      if (type.kind === 'message') assert.deepEqual(type.fields.map(asGolden), declared.messages[typeName], typeName);
      if (type.kind !== 'enum') continue;
      const numbers = Object.fromEntries(type.values.map((one) => [one.name, one.number]));
      assert.deepEqual(numbers, declared.enums[typeName], typeName);
    }
    assert.deepEqual([...described].sort(), ['as', 'common', 'gw', 'ns']);
    const { methods } = registry.getService('ns.NetworkServerService')!;
    assert.deepEqual(
      methods.map(({ name }) => name).sort(),
      Object.keys(golden.ns.services.NetworkServerService).sort(),
    );
    assert.equal(registry.getMessage('gw.UplinkRXInfo')!.oneofs.length, 1);
  });

  it('contain the direction of streams', () => {
    const kinds = (name: string) => registry.getService(name)!.methods.map(({ methodKind }) => methodKind);
    assert.deepEqual(kinds('grpc.reflection.v1.ServerReflection'), ['bidi_streaming']);
    assert.ok(kinds('ns.NetworkServerService').includes('server_streaming'));
    assert.deepEqual([...new Set(kinds('as.ApplicationServerService'))], ['unary']);
  });

  it('contain optional members and maps', () => {
    const Colour = enumeration('other.Colour', { RED: 0, BLUE: 1 });
    const Inner = message('mine.Inner', { at: [1, 'timestamp'] });
    const Thing = message('mine.Thing', {
      tags: [7, map('string', 'string')],
      rxPacketsPerDr: [3, map('uint32', 'uint32')],
      maybe: [1000, 'uint32', { oneof: 'maybe' }],
      colour: [1001, Colour, { oneof: 'colour' }],
      inner: [1002, Inner, { oneof: 'inner' }],
      one: [4, 'string', { oneof: 'either' }],
      other: [5, Inner, { oneof: 'either' }],
    });
    const Thinging = { typeName: 'mine.Thinging', methods: { think: [Thing, Thing] } } as const;
    const thing = registryOf([Thinging]).getMessage('mine.Thing')!;
    const rows = thing.fields.map((field) => [
      field.name,
      typeText(field),
      field.proto.proto3Optional,
      field.oneof?.name,
    ]);
    assert.deepEqual(rows, [
      ['tags', 'map<string,string>', false, undefined],
      ['rx_packets_per_dr', 'map<uint32,uint32>', false, undefined],
      ['maybe', 'uint32', true, undefined],
      ['colour', 'other.Colour', true, undefined],
      ['inner', 'mine.Inner', false, undefined],
      ['one', 'string', false, 'either'],
      ['other', 'mine.Inner', false, 'either'],
    ]);
  });
});
