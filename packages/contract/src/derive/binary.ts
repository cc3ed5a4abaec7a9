/**
 * The API as protobuf: the messages of gRPC, derived from the same messages and operations as JSON and its documents.
 */
import {
  enumeration,
  fromBinary,
  map,
  type Field as ProtoField,
  type Kind as ProtoKind,
  type Message as ProtoMessage,
  parseDuration,
  parseTimestamp,
  message as protoMessage,
  RpcError,
  repeated,
  stream,
  toBinary,
  toJson,
} from '@hilltop/protobuf';
import type { DescribedService } from '@hilltop/protobuf/descriptors';
import { valueAt } from '../access.ts';
import { invalidFields, refusal } from '../errors.ts';
import { type Operation, pathParameters, type RequestOf } from '../operation.ts';
import { type Reading, readMessage, refuse } from '../parse-message.ts';
import { rewriting } from '../rewrite.ts';
import { type Field, type Message, protoName, type ValueOf } from '../wire.ts';

/** Unknown numbers of an enumeration are refused in requests, as in JSON. In responses they are passed on. */
type Direction = 'request' | 'answer';

const tables = { request: new WeakMap<Message, ProtoMessage>(), answer: new WeakMap<Message, ProtoMessage>() };

/** The table with which the protobuf package reads and writes a message. */
function tableOf(of: Message, direction: Direction): ProtoMessage {
  let table = tables[direction].get(of);
  if (!table) {
    const members = Object.entries(of.fields).map(([name, field], index): [string, ProtoField] => {
      // Protobuf has no optional maps: an empty one is absent.
      const isInOneof = field.oneof && field.kind !== 'map';
      const options = { proto: protoName(name, field), ...(isInOneof && { oneof: name }) };
      return [name, [of.numbers[index]!, kindOf(field, direction), options]];
    });
    table = protoMessage(of.name, Object.fromEntries(members));
    tables[direction].set(of, table);
  }
  return table;
}

function kindOf(field: Field, direction: Direction): ProtoKind {
  switch (field.kind) {
    case 'message':
      return tableOf(field.message!, direction);
    case 'list':
      return repeated(kindOf(field.of!, direction) as Parameters<typeof repeated>[0]);
    case 'map':
      return map(field.keys === 'uint32' ? 'uint32' : 'string', kindOf(field.of!, direction) as 'string');
    case 'enumeration': {
      const { name, names } = field.enumeration!;
      const numbers = Object.fromEntries(names.map((one, number) => [one, number]));
      return direction === 'request' ? 'int32' : enumeration(name, numbers);
    }
    case 'count':
      return 'int64';
    case 'text':
    case 'eui64':
    case 'devAddr':
    case 'aes128Key':
    case 'uuid':
      return 'string';
    default:
      return field.kind;
  }
}

/** Kinds that are text in JSON and something else in protobuf. */
const messageFormOf = rewriting({
  timestamp: (value) => (typeof value === 'string' ? parseTimestamp(value) : value),
  duration: (value) => (typeof value === 'string' ? parseDuration(value) : value),
  bytes: (value) => (typeof value === 'string' ? Uint8Array.fromBase64(value) : value),
});

/** The bytes of a response, or of an item of a stream. */
export function answerBytes<M extends Message>(of: M, value: ValueOf<M>): Uint8Array {
  const rewrite = messageFormOf(of);
  return toBinary(tableOf(of, 'answer'), (rewrite ? rewrite(value) : value) as never);
}

/**
 * Reads a whole request by the rules of `parseRequest`. Fields that REST has in the path are required here, too. Throws
 * an ApiError with code 3 that names every invalid field.
 */
export function parseRequestBytes<O extends Operation>(operation: O, bytes: Uint8Array): RequestOf<O> {
  const reading: Reading = { violations: [], isText: false };
  const value = readMessage(jsonOf(operation.request, bytes), operation.request, '', reading);
  for (const path of placesInPath(operation)) {
    if (valueAt(value, path) === '') refuse(reading, path, 'Must be given.');
  }
  if (reading.violations.length > 0) throw invalidFields(reading.violations);
  return value as RequestOf<O>;
}

const places = new WeakMap<Operation, readonly string[]>();

/** A field that REST has in the path: `device.devEUI`. */
function placesInPath(operation: Operation): readonly string[] {
  let found = places.get(operation);
  if (!found) {
    found = pathParameters(operation).map(({ path }) => path.join('.'));
    places.set(operation, found);
  }
  return found;
}

function jsonOf(of: Message, bytes: Uint8Array): object {
  const table = tableOf(of, 'request');
  try {
    return toJson(table, fromBinary(table, bytes));
  } catch (error) {
    if (error instanceof RpcError) throw refusal('NOT_PROTOBUF', { problem: error.message });
    throw error;
  }
}

/** `/api.DeviceService/Get` */
export function grpcPath({ package: name, service, rpc }: Pick<Operation, 'package' | 'service' | 'rpc'>): string {
  return `/${name}.${service}/${rpc}`;
}

/** The services of these operations, for server reflection. */
export function describedServices(operations: readonly Operation[]): readonly DescribedService[] {
  const services = Map.groupBy(operations, (operation) => `${operation.package}.${operation.service}`);
  return [...services].map(([typeName, calls]) => ({
    typeName,
    methods: Object.fromEntries(
      calls.map((call) => {
        const [request, response] = [tableOf(call.request, 'answer'), tableOf(call.response, 'answer')];
        return [call.rpc, [request, call.stream ? stream(response) : response]];
      }),
    ),
  }));
}
