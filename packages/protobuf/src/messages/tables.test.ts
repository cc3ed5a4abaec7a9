import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import golden from '../golden/packages.json' with { type: 'json' };
import type { Enumeration, Field, Kind, Message, Service, Stream } from '../index.ts';
import * as protobuf from '../index.ts';

type GoldenField = readonly [string, number, string, string, { oneof: string }?];

function typeText(kind: Kind): string {
  if (kind === 'timestamp') return 'google.protobuf.Timestamp';
  if (kind === 'duration') return 'google.protobuf.Duration';
  if (typeof kind === 'string') return kind;
  if (kind.kind === 'map') return `map<${kind.key},${kind.value}>`;
  if (kind.kind === 'repeated') return `repeated ${typeText(kind.item)}`;
  return kind.typeName;
}

function asGolden([name, [number, kind, options]]: [string, Field]): GoldenField {
  const row = [name, number, typeText(kind), protobuf.protoName(name, options)] as const;
  return options?.oneof ? [...row, { oneof: options.oneof }] : row;
}

function methodText([request, response]: readonly [Message, Message | Stream]): readonly [string, string] {
  return [request.typeName, response.kind === 'stream' ? `stream ${response.item.typeName}` : response.typeName];
}

function tableOf(exported: object) {
  const messages: Record<string, GoldenField[]> = {};
  const enums: Record<string, Readonly<Record<string, number>>> = {};
  const services: Record<string, object> = {};
  for (const value of Object.values(exported) as (Message | Enumeration | Service)[]) {
    const name = value.typeName.slice(value.typeName.indexOf('.') + 1);
    if (value.kind === 'message') messages[name] = Object.entries(value.fields).map(asGolden);
    else if (value.kind === 'enum') enums[name] = value.numbers;
    else {
      const methods = Object.entries(value.methods).map(([method, types]) => [
        protobuf.methodPath(value, method).split('/')[2],
        methodText(types),
      ]);
      services[name] = Object.fromEntries(methods);
    }
  }
  return { messages, enums, services };
}

const { common, gw, ns, as, integration } = protobuf;
const packages = { common, gw, ns, as, integration };

describe('message tables', () => {
  for (const name of ['common', 'gw', 'ns', 'as', 'integration'] as const) {
    it(`${name} agrees with the published package`, () => {
      assert.deepEqual(tableOf(packages[name]), golden[name]);
    });

    it(`${name} keeps the declaration order of members`, () => {
      const published = golden[name].messages as unknown as Record<string, GoldenField[]>;
      const ours = tableOf(packages[name]).messages;
      for (const [message, fields] of Object.entries(published)) {
        assert.deepEqual(
          ours[message]?.map((field) => field[0]),
          fields.map((field) => field[0]),
          message,
        );
      }
    });
  }

  it('names the gRPC path of a method', () => {
    assert.equal(
      protobuf.methodPath(ns.NetworkServerService, 'getADRAlgorithms'),
      '/ns.NetworkServerService/GetADRAlgorithms',
    );
  });
});
