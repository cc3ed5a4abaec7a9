import assert from 'node:assert/strict';
import { documentNames } from '@hilltop/contract';
import SwaggerClient from 'swagger-client';

export type GeneratedMessage = Record<string, unknown>;
export type Call = (service: string, operation: string, parameters?: GeneratedMessage) => Promise<GeneratedMessage>;

/** A client generated from the documents that the server publishes. */
export async function generateClient(url: string, token: () => string) {
  const requestInterceptor = (request: { headers: Record<string, string> }) => {
    request.headers['Grpc-Metadata-Authorization'] = `Bearer ${token()}`;
    return request;
  };
  const clients = await Promise.all(
    documentNames.map((name) => SwaggerClient({ url: `${url}/swagger/${name}.swagger.json`, requestInterceptor })),
  );
  for (const { errors } of clients) assert.deepEqual(errors, []);
  const apis = Object.assign({}, ...clients.map((client) => client.apis)) as (typeof clients)[number]['apis'];
  const called = new Set<string>();
  const call: Call = async (service, operation, parameters = {}) => {
    const { status, body } = await apis[service]![operation]!(parameters);
    assert.equal(status, 200);
    called.add(`${service}.${operation}`);
    return body as GeneratedMessage;
  };
  return { apis, call, called };
}

export interface RecordOf {
  service: string;
  /** Name of the message in requests and responses. */
  name: string;
  /** Path parameters: in an update; in reading and deleting. */
  inUpdate: string;
  inRead?: string;
  message: GeneratedMessage;
  /** The fields that an update changes. */
  change: GeneratedMessage;
  /** Fields next to the message in the create request. */
  beside?: GeneratedMessage;
  /** Filters of the list request. */
  list?: GeneratedMessage;
  /** The id, if the caller chooses it. */
  id?: string;
}

/** Creates, reads, lists and updates a record, and leaves it stored. Resolves with its id. */
export async function live(call: Call, record: RecordOf): Promise<string> {
  const { service, name, inUpdate, inRead = 'id', message, change } = record;
  const created = await call(service, 'Create', { body: { [name]: message, ...record.beside } });
  const id = record.id ?? (created['id'] as string);
  const read = (await call(service, 'Get', { [inRead]: id }))[name] as GeneratedMessage;
  for (const [field, value] of Object.entries(message)) assert.deepEqual(read[field], value, `${name}.${field}`);
  const { totalCount, result } = await call(service, 'List', { limit: 100, ...record.list });
  assert.ok(Number(totalCount) >= 1);
  assert.ok((result as GeneratedMessage[]).some((row) => row['id'] === id || row['devEUI'] === id));
  await call(service, 'Update', { [inUpdate]: id, body: { [name]: { ...read, ...change } } });
  const changed = (await call(service, 'Get', { [inRead]: id }))[name] as GeneratedMessage;
  assert.deepEqual(changed, { ...read, ...change });
  return id;
}
