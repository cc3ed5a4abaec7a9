import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import {
  create,
  createFileRegistry,
  type FileRegistry,
  fromBinary,
  fromJson,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import { allOperations, operations } from '@hilltop/contract';
import {
  type InitOf,
  type MessageOf,
  create as make,
  fromBinary as read,
  reflection,
  toBinary as write,
} from '@hilltop/protobuf';
import type { Refused } from '../../testing/published-client.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { framed } from './messages.ts';

const { ServerReflectionRequest, ServerReflectionResponse } = reflection.v1;
type Asked = InitOf<typeof ServerReflectionRequest>;
type ReflectionAnswer = MessageOf<typeof ServerReflectionResponse>;

const plain = (bytes: Uint8Array) => Buffer.from(bytes);

describe('gRPC server reflection', () => {
  let app: TestApp;
  let client: Client;
  before(async () => {
    app = await startTestApp('sqlite');
    client = new Client(new URL(app.url).host, credentials.createInsecure());
  });
  after(async () => {
    client.close();
    await app[Symbol.asyncDispose]();
  });

  function open(version = 'v1'): ClientDuplexStream<Asked, ReflectionAnswer> {
    return client.makeBidiStreamRequest(
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      (asked: Asked) => plain(write(ServerReflectionRequest, make(ServerReflectionRequest, asked))),
      (bytes) => read(ServerReflectionResponse, bytes),
    );
  }

  /** The answers to questions that are all asked on one stream. */
  async function ask(questions: readonly Asked[], version?: string): Promise<ReflectionAnswer[]> {
    const stream = open(version);
    for (const question of questions) stream.write(question);
    stream.end();
    return Array.fromAsync(stream as AsyncIterable<ReflectionAnswer>);
  }

  async function endOf(stream: ClientDuplexStream<Asked, ReflectionAnswer>): Promise<number> {
    const [error] = (await once(stream.resume(), 'error')) as [Refused];
    return error.code;
  }

  /** The descriptors that a client has after asking about one symbol. */
  async function knownBy(symbol: string): Promise<FileRegistry> {
    const [answer] = await ask([{ fileContainingSymbol: symbol }]);
    const file = answer!.fileDescriptorResponse!.fileDescriptorProto.map((bytes) =>
      fromBinary(FileDescriptorProtoSchema, bytes),
    );
    assert.ok(file[0]!.package !== 'google.protobuf');
    // Files follow the files they import.
    const sorted = new Set<(typeof file)[number]>();
    const add = (one: (typeof file)[number]) => {
      for (const other of file) if (one.dependency.includes(other.name)) add(other);
      sorted.add(one);
    };
    file.forEach(add);
    return createFileRegistry(create(FileDescriptorSetSchema, { file: [...sorted] }));
  }

  it('lists the services, in both versions of the protocol', async () => {
    const services = allOperations.flatMap(({ package: name, service }) => (name === 'api' ? `api.${service}` : []));
    const ours = ['v1', 'v1alpha'].map((version) => `grpc.reflection.${version}.ServerReflection`);
    for (const version of ['v1', 'v1alpha']) {
      const [answer] = await ask([{ host: 'here', listServices: '' }], version);
      assert.deepEqual([answer!.validHost, answer!.originalRequest!.listServices], ['here', '']);
      assert.deepEqual(
        answer!.listServicesResponse!.service.map(({ name }) => name),
        [...new Set([...services, ...ours])].sort(),
      );
    }
  });

  it('describes each method with paths, messages and streams as in the contract', async () => {
    const published = allOperations.filter(({ package: name }) => name === 'api');
    const registry = await knownBy('api.DeviceService');
    for (const operation of published) {
      const found = registry
        .getService(`api.${operation.service}`)!
        .methods.find(({ name }) => name === operation.rpc)!;
      assert.deepEqual(
        [found.input.typeName, found.output.typeName, found.methodKind],
        [operation.request.name, operation.response.name, operation.stream ? 'server_streaming' : 'unary'],
        operation.key,
      );
    }
    assert.ok((await knownBy('grpc.reflection.v1.ServerReflection')).getMessage(ServerReflectionRequest.typeName));
  });

  it('is sufficient to call a method', async () => {
    const registry = await knownBy('api.OrganizationService.Create');
    async function call(rpc: string, request: object): Promise<Record<string, unknown>> {
      const method = registry.getService('api.OrganizationService')!.methods.find(({ name }) => name === rpc)!;
      const metadata = new Metadata();
      metadata.set('authorization', app.adminToken);
      const answer = await new Promise<Uint8Array>((resolve, reject) =>
        client.makeUnaryRequest(
          `/${method.parent.typeName}/${method.name}`,
          plain,
          (bytes) => bytes,
          Buffer.from(toBinary(method.input, fromJson(method.input, request as never))),
          metadata,
          (error, bytes) => (error ? reject(error) : resolve(bytes!)),
        ),
      );
      return toJson(method.output, fromBinary(method.output, answer)) as Record<string, unknown>;
    }
    const { id } = await call('Create', {
      organization: { name: 'reflected', displayName: 'R', canHaveGateways: true },
    });
    const { organization, createdAt } = await call('Get', { id });
    const rest = await app.call(operations.organization.get, { id: id as string });
    assert.deepEqual(organization, { id, name: 'reflected', displayName: 'R', canHaveGateways: true });
    assert.equal(Date.parse(createdAt as string), Date.parse(rest.createdAt!));
  });

  it('answers each question in order, also those that have no answer', async () => {
    const answers = await ask([
      { fileByFilename: 'google/protobuf/timestamp.proto' },
      { fileByFilename: 'nothing.proto' },
      { fileContainingSymbol: 'api.Device' },
      { fileContainingSymbol: '__proto__' },
      { fileContainingExtension: { containingType: 'api.Device', extensionNumber: 3 } },
      { allExtensionNumbersOfType: 'api.Device' },
      { allExtensionNumbersOfType: 'api.Nothing' },
      {},
    ]);
    assert.deepEqual(
      answers.map((one) => one.errorResponse?.errorCode ?? Object.keys(one).find((name) => name.endsWith('Response'))),
      ['fileDescriptorResponse', 5, 'fileDescriptorResponse', 5, 5, 'allExtensionNumbersResponse', 5, 5],
    );
  });

  it('answers many questions no faster than the caller reads', async () => {
    const session = connect(app.url);
    const call = session.request({
      ':method': 'POST',
      ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      'content-type': 'application/grpc',
    });
    const asked = 500;
    const question = write(ServerReflectionRequest, make(ServerReflectionRequest, { fileByFilename: 'api.proto' }));
    call.end(Buffer.concat(Array.from({ length: asked }, () => framed(question))));
    const bytes = Buffer.concat(await Array.fromAsync(call as AsyncIterable<Buffer>));
    session.close();
    let answered = 0;
    for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt32BE(at + 1)) answered += 1;
    assert.equal(answered, asked);
  });

  it('refuses long questions and invalid messages', async () => {
    const long = open();
    long.write({ fileContainingSymbol: 'x'.repeat(5000) });
    assert.equal(await endOf(long), 8);
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const odd = client.makeBidiStreamRequest<Buffer, ReflectionAnswer>(path, plain, (bytes) =>
      read(ServerReflectionResponse, bytes),
    );
    odd.write(Buffer.from('ffffffffffffffffffffff', 'hex'));
    const [error] = (await once(odd.resume(), 'error')) as [Refused];
    assert.equal(error.code, 3);
  });
});
