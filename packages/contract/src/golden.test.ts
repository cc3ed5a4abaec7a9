/** Compares the whole contract with the recorded one of version 3. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import additions from './golden/additions.json' with { type: 'json' };
import enumerations from './golden/enumerations.json' with { type: 'json' };
import messages from './golden/messages.json' with { type: 'json' };
import recorded from './golden/operations.json' with { type: 'json' };
import { allOperations, type Field, hasBody, type Message, pathParameters, protoName } from './index.ts';
import { type Kind, kinds } from './kinds.ts';
import type { Enumeration } from './wire.ts';

type Recorded = (typeof recorded)[number];
type RecordedField = readonly [string, number, string, string, { oneof: string }?];

/** Members that are not in the recorded API. */
function addedTo(message: string): readonly RecordedField[] {
  return (additions as unknown as Readonly<Record<string, readonly RecordedField[]>>)[message] ?? [];
}

const protoKinds: Readonly<Partial<Record<Kind, string>>> = {
  text: 'string',
  count: 'int64',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  eui64: 'string',
  devAddr: 'string',
  aes128Key: 'string',
  uuid: 'string',
};

function protoType(field: Field): string {
  if (field.kind === 'message') return field.message!.name;
  if (field.kind === 'enumeration') return field.enumeration!.name;
  if (field.kind === 'list') return `repeated ${protoType(field.of!)}`;
  if (field.kind === 'map') return `map<${field.keys === 'text' ? 'string' : 'uint32'},${protoType(field.of!)}>`;
  return protoKinds[field.kind] ?? field.kind;
}

function reachable() {
  const found = new Map<string, Message>();
  const enums = new Map<string, Enumeration>();
  const visit = (of: Message) => {
    if (found.has(of.name)) return;
    found.set(of.name, of);
    Object.values(of.fields).forEach(visitField);
  };
  const visitField = (field: Field): void => {
    if (field.message) visit(field.message);
    if (field.enumeration) enums.set(field.enumeration.name, field.enumeration);
    if (field.of) visitField(field.of);
  };
  for (const { request, response } of allOperations) [request, response].forEach(visit);
  return { found, enums };
}

function named(name: string): string {
  return name === 'google.protobuf.Empty' ? 'null' : name.replace('.', '');
}

const { found, enums } = reachable();
const published = allOperations.filter((operation) => operation.package === 'api');

describe('operations', () => {
  it('are the recorded ones, no more and no less', () => {
    const ours = published.map(({ service, rpc }) => `${service}.${rpc}`).sort();
    assert.deepEqual(ours, recorded.map(({ service, rpc }) => `${service}.${rpc}`).sort());
  });

  for (const operation of published) {
    const recordedOperation = recorded.find(
      ({ service, rpc }) => service === operation.service && rpc === operation.rpc,
    ) as Recorded;
    it(`${operation.key} has its route, parameters and messages`, () => {
      const { document, method, path, stream } = operation;
      assert.deepEqual(
        { document, method, path, stream },
        {
          document: recordedOperation.document,
          method: recordedOperation.method,
          path: recordedOperation.path,
          stream: recordedOperation.stream,
        },
      );
      assert.equal(operation.request.name, recordedOperation.requestMessage);
      assert.equal(operation.response.name, recordedOperation.responseMessage);
      assert.equal(hasBody(operation) ? named(operation.request.name) : 'null', String(recordedOperation.body));
      assert.equal(named(operation.response.name), String(recordedOperation.response));
      const parameters = pathParameters(operation);
      assert.deepEqual(
        parameters.map(({ name }) => name),
        recordedOperation.pathParams.map(({ name }) => name),
      );
      const inPath = new Set(parameters.map((one) => one.path[0]));
      const query = Object.entries(operation.request.fields).filter(
        ([name, { kind }]) => !inPath.has(name) && kind !== 'map',
      );
      const added = hasBody(operation) ? [] : addedTo(operation.request.name);
      assert.deepEqual(hasBody(operation) ? [] : query.map(([name]) => name), [
        ...recordedOperation.queryParams.map(({ name }) => name),
        ...added.map(([name]) => name),
      ]);
    });
  }
});

describe('messages', () => {
  const golden = messages as unknown as Readonly<Record<string, readonly RecordedField[]>>;

  it('are the recorded ones', () => {
    const ours = [...found.keys()].filter((name) => !/^(google\.protobuf\.Empty$|hilltop\.)/.test(name)).sort();
    const settings = ['api.SettingsResponse', 'api.Branding', 'api.OpenIDConnect'];
    assert.deepEqual(ours, [...new Set([...Object.keys(golden), ...settings])].sort());
  });

  for (const [name, fields] of Object.entries(golden)) {
    it(`${name} has the fields, order, types, numbers and both spellings`, () => {
      const declared = found.get(name);
      assert.ok(declared);
      const members = Object.entries(declared.fields).map(
        ([json, field], index) =>
          [json, declared.numbers[index], protoType(field), protoName(json, field), field.oneof === true] as const,
      );
      assert.equal(declared.numbers.length, members.length);
      assert.deepEqual(
        members,
        [...fields, ...addedTo(name)].map(([json, number, type, proto, more]) => [
          json,
          number,
          type,
          proto,
          more?.oneof !== undefined,
        ]),
      );
    });
  }

  for (const [name, numbers] of Object.entries(enumerations)) {
    it(`${name} has the names at their numbers`, () => {
      assert.deepEqual(Object.fromEntries(enums.get(name)!.names.map((one, number) => [one, number])), numbers);
    });
  }

  it('use only kinds that have a description', () => {
    for (const kind of Object.values(kinds)) assert.ok(kind.swagger.type && kind.expects);
  });
});
