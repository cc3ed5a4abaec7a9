import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import asServices from '@chirpstack/chirpstack-api/as/as_grpc_pb.js';
import nsServices from '@chirpstack/chirpstack-api/ns/ns_grpc_pb.js';
import { as, fromJson, type Kind, type Message, ns, type Service } from '@hilltop/protobuf';
import { definitionOf } from './grpc-definition.ts';

type Theirs = {
  path: string;
  responseStream: boolean;
  requestSerialize: (value: unknown) => Buffer;
  requestDeserialize: (bytes: Buffer) => unknown;
  responseSerialize: (value: unknown) => Buffer;
  responseDeserialize: (bytes: Buffer) => unknown;
};

/** A message with a value in each field, as JSON. */
function filled(type: Message): Record<string, unknown> {
  const chosen = new Set<string>();
  const members = Object.entries(type.fields).filter(([, [, , options]]) => {
    if (options?.oneof === undefined || !chosen.has(options.oneof))
      return options?.oneof === undefined || chosen.add(options.oneof);
    return false;
  });
  return Object.fromEntries(members.map(([name, [number, kind]]) => [name, example(kind, number)]));
}

function example(kind: Kind, number: number): unknown {
  if (typeof kind !== 'string') {
    if (kind.kind === 'message') return filled(kind);
    if (kind.kind === 'enum') return Object.keys(kind.numbers).at(-1);
    if (kind.kind === 'map') return { 3: example(kind.value, number), 300: example(kind.value, number + 1) };
    return [example(kind.item, number), example(kind.item, number + 200)];
  }
  switch (kind) {
    case 'bool':
      return true;
    case 'string':
      return `täxt ${number}`;
    case 'bytes':
      return Uint8Array.of(number, 255, 0).toBase64();
    case 'timestamp':
      return '2023-03-01T10:15:30.123456789Z';
    case 'duration':
      return '-1.5s';
    case 'int64':
      return '-9007199254740993';
    case 'int32':
      return -number;
    case 'double':
    case 'float':
      return number + 0.5;
    default:
      return kind === 'uint64' ? '9007199254740993' : 4_294_967_000 + number;
  }
}

const services: [Service, unknown][] = [
  [ns.NetworkServerService, nsServices.NetworkServerServiceService],
  [as.ApplicationServerService, asServices.ApplicationServerServiceService],
];

// The last version that was published for JavaScript does not contain it.
const newer = ['clearDeviceNonces'];

/** The published implementation and ours read each other's messages. */
for (const [service, published] of services) {
  const ours = definitionOf(service);
  const publishedMethods = published as Record<string, Theirs>;
  describe(`${service.typeName} on the wire`, () => {
    it('has the methods of the published service', () => {
      const known = Object.keys(ours).filter((name) => !newer.includes(name));
      assert.deepEqual(known.sort(), Object.keys(publishedMethods).sort());
    });
    for (const [name, [request, response]] of Object.entries(service.methods)) {
      if (newer.includes(name)) continue;
      it(name, () => {
        const answer = response.kind === 'stream' ? response.item : response;
        const [ownMethod, publishedMethod] = [ours[name]!, publishedMethods[name]!];
        assert.deepEqual(
          [ownMethod.path, ownMethod.responseStream],
          [publishedMethod.path, publishedMethod.responseStream],
        );
        const asked = fromJson(request, filled(request));
        const answerMessage = fromJson(answer, filled(answer));
        const again = publishedMethod.requestSerialize(
          publishedMethod.requestDeserialize(ownMethod.requestSerialize(asked)),
        );
        assert.deepEqual(ownMethod.requestDeserialize(again), asked);
        const back = publishedMethod.responseSerialize(
          publishedMethod.responseDeserialize(ownMethod.responseSerialize(answerMessage)),
        );
        assert.deepEqual(ownMethod.responseDeserialize(back), answerMessage);
        assert.equal(again.toString('hex'), ownMethod.requestSerialize(asked).toString('hex'));
      });
    }
  });
}
