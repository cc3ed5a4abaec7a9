import application from '@chirpstack/chirpstack-api/as/external/api/application_grpc_pb.js';
import device from '@chirpstack/chirpstack-api/as/external/api/device_grpc_pb.js';
import devicePb from '@chirpstack/chirpstack-api/as/external/api/device_pb.js';
import deviceProfile from '@chirpstack/chirpstack-api/as/external/api/deviceProfile_grpc_pb.js';
import deviceQueue from '@chirpstack/chirpstack-api/as/external/api/deviceQueue_grpc_pb.js';
import gateway from '@chirpstack/chirpstack-api/as/external/api/gateway_grpc_pb.js';
import gatewayProfile from '@chirpstack/chirpstack-api/as/external/api/gatewayProfile_grpc_pb.js';
import internal from '@chirpstack/chirpstack-api/as/external/api/internal_grpc_pb.js';
import multicastGroup from '@chirpstack/chirpstack-api/as/external/api/multicastGroup_grpc_pb.js';
import networkServer from '@chirpstack/chirpstack-api/as/external/api/networkServer_grpc_pb.js';
import organization from '@chirpstack/chirpstack-api/as/external/api/organization_grpc_pb.js';
import serviceProfile from '@chirpstack/chirpstack-api/as/external/api/serviceProfile_grpc_pb.js';
import user from '@chirpstack/chirpstack-api/as/external/api/user_grpc_pb.js';
import { type ChannelCredentials, type ClientReadableStream, credentials, Metadata } from '@grpc/grpc-js';
import { type Field, grpcPath, type Message, type Operation, protoName } from '@hilltop/contract';
import { formatDuration, formatTimestamp, timestamp } from '@hilltop/protobuf';
import durationPb from 'google-protobuf/google/protobuf/duration_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import timestampPb from 'google-protobuf/google/protobuf/timestamp_pb.js';

/** The clients of the published package, unmodified, called with the JSON of our contract. */

type Getters = Record<string, (...values: unknown[]) => unknown>;
type MessageClass = new () => Getters;
interface Definition {
  requestType: MessageClass;
}
type ServiceClient = Record<string, (...args: unknown[]) => unknown> & { close: () => void };
type ClientClass = new (address: string, secrets: ChannelCredentials, options?: object) => ServiceClient;

const modules: Readonly<Record<string, unknown>> = {
  ...application,
  ...device,
  ...deviceProfile,
  ...deviceQueue,
  ...gateway,
  ...gatewayProfile,
  ...internal,
  ...multicastGroup,
  ...networkServer,
  ...organization,
  ...serviceProfile,
  ...user,
};

/** A gRPC error. */
export interface Refused {
  code: number;
  details: string;
  metadata: Metadata;
}

interface Options {
  secrets?: ChannelCredentials;
  /** Options of the channel. */
  channel?: object;
}

export function createPublishedClient(
  url: string,
  { secrets = credentials.createInsecure(), channel = {} }: Options = {},
) {
  const clients = new Map<string, ServiceClient>();

  function clientOf({ service }: Operation): ServiceClient {
    let client = clients.get(service);
    if (!client) {
      client = new (modules[`${service}Client`] as ClientClass)(new URL(url).host, secrets, channel);
      clients.set(service, client);
    }
    return client;
  }

  function metadataOf(token: string | null): Metadata {
    const metadata = new Metadata();
    if (token !== null) metadata.set('authorization', token);
    return metadata;
  }

  /** Rejects with the error of the callback. */
  function call(operation: Operation, input: object, token: string | null, options: object = {}): Promise<object> {
    const client = clientOf(operation);
    const method = methodOf(operation);
    return new Promise((resolve, reject) => {
      const done = (error: unknown, answer: Getters) => {
        if (error) reject(error as Error);
        else resolve(jsonOf(operation.response, answer));
      };
      const request = requestOf(operation, input);
      if (client[method]) client[method](request, metadataOf(token), options, done);
      // The last version that was published for JavaScript does not contain it.
      else
        client['makeUnaryRequest']!(
          grpcPath(operation),
          (one: { serializeBinary: () => Uint8Array }) => Buffer.from(one.serializeBinary()),
          (bytes: Uint8Array) => emptyPb.Empty.deserializeBinary(bytes),
          request,
          metadataOf(token),
          done,
        );
    });
  }

  return {
    call,
    /** The stream and its items as JSON. */
    watch: (operation: Operation, input: object, token: string | null) => {
      const opened = clientOf(operation)[methodOf(operation)]!(requestOf(operation, input), metadataOf(token));
      return opened as ClientReadableStream<Getters>;
    },
    itemOf: (operation: Operation, item: Getters) => jsonOf(operation.response, item),
    [Symbol.dispose]: () => {
      for (const client of clients.values()) client.close();
    },
  };
}

function methodOf({ rpc }: Operation): string {
  return rpc[0]!.toLowerCase() + rpc.slice(1);
}

function requestOf(operation: Operation, input: object): Getters {
  const { service, request } = operation;
  const methods = modules[`${service}Service`] as Record<string, Definition>;
  const type = methods[methodOf(operation)]?.requestType ?? (devicePb.GetDeviceRequest as unknown as MessageClass);
  return filled(request, input, new type(), `${operation.key}.`);
}

/** `dev_eui` -> `DevEui`, the name in the generated code. */
function accessorOf(name: string, field: Field): string {
  const words = protoName(name, field).split('_');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The generated reader reveals the class of a sub-message when it reads an empty one. */
function classOf(parent: Getters, name: string, field: Field): MessageClass {
  const { name: full } = field.message ?? field.of!.message!;
  const short = full.slice(full.lastIndexOf('.') + 1);
  const found = everyMessage.get(short);
  if (!found) throw new Error(`The published package has no ${full} for ${name} of ${parent.constructor.name}.`);
  return found;
}

const pbs = await Promise.all(
  [
    ...['application', 'device', 'deviceProfile', 'deviceQueue', 'gateway', 'gatewayProfile', 'internal'],
    ...['multicastGroup', 'networkServer', 'organization', 'profiles', 'serviceProfile', 'user'],
  ].map((name) => import(`@chirpstack/chirpstack-api/as/external/api/${name}_pb.js`) as Promise<{ default: object }>),
);
const commonPb = (await import('@chirpstack/chirpstack-api/common/common_pb.js')) as unknown as { default: object };
const everyMessage = new Map(
  [...pbs, commonPb].flatMap((module) => Object.entries(module.default) as [string, MessageClass][]),
);

function filled(of: Message, input: object, into: Getters, path: string): Getters {
  for (const [name, field] of Object.entries(of.fields)) {
    const value = (input as Record<string, unknown>)[name];
    if (value === undefined || value === null) continue;
    // The published package does not contain our own fields.
    const accessor = accessorOf(name, field);
    if (field.kind === 'map') {
      const map = into[`get${accessor}Map`]!() as { set: (key: unknown, value: unknown) => void };
      for (const [key, one] of Object.entries(value)) map.set(key, one);
    } else if (field.kind === 'list')
      into[`set${accessor}List`]?.(
        (value as unknown[]).map((one) => publishedValueOf(field.of!, one, () => classOf(into, name, field), path)),
      );
    else into[`set${accessor}`]?.(publishedValueOf(field, value, () => classOf(into, name, field), `${path}${name}.`));
  }
  return into;
}

function publishedValueOf(field: Field, value: unknown, type: () => MessageClass, path: string): unknown {
  switch (field.kind) {
    case 'message':
      return filled(field.message!, value as object, new (type())(), path);
    case 'enumeration':
      return typeof value === 'number' ? value : field.enumeration!.names.indexOf(value as string);
    case 'timestamp': {
      const time = new timestampPb.Timestamp();
      time.fromDate(new Date(value as string));
      return time;
    }
    case 'duration': {
      const seconds = Number(/^([\d.]+)s$/.exec(value as string)![1]);
      const duration = new durationPb.Duration();
      duration.setSeconds(Math.floor(seconds));
      duration.setNanos(Math.round((seconds % 1) * 1e9));
      return duration;
    }
    case 'int64':
    case 'uint64':
    case 'count':
      return Number(value);
    default:
      return value;
  }
}

/** The message as REST returns it. */
function jsonOf(of: Message, message: Getters): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(of.fields)) {
    const accessor = accessorOf(name, field);
    if (field.kind === 'map') {
      if (!message[`get${accessor}Map`]) continue;
      const map = message[`get${accessor}Map`]!() as { getEntryList: () => [unknown, unknown][] };
      const entries = map.getEntryList().map(([key, value]) => [String(key), value] as const);
      json[name] = Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
    } else if (field.kind === 'list') {
      if (!message[`get${accessor}List`]) continue;
      json[name] = (message[`get${accessor}List`]!() as unknown[]).map((one) => ours(field.of!, one));
    } else if (message[`get${accessor}`]) {
      if (field.oneof && message[`has${accessor}`]?.() === false) continue;
      json[name] = ours(field, message[`get${accessor}`]!());
    }
  }
  return json;
}

function ours(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case 'message':
      return value ? jsonOf(field.message!, value as Getters) : null;
    case 'enumeration':
      return field.enumeration!.names[value as number];
    case 'timestamp': {
      if (!value) return null;
      const time = value as { getSeconds: () => number; getNanos: () => number };
      return formatTimestamp(
        timestamp(time.getSeconds() * 1000 + Math.floor(time.getNanos() / 1e6), time.getNanos() % 1e6),
      );
    }
    case 'duration': {
      if (!value) return null;
      const duration = value as { getSeconds: () => number; getNanos: () => number };
      return formatDuration(duration.getSeconds() * 1000 + duration.getNanos() / 1e6);
    }
    case 'bytes': {
      const bytes = typeof value === 'string' ? Uint8Array.fromBase64(value) : (value as Uint8Array);
      return bytes.length === 0 ? null : bytes.toBase64();
    }
    case 'float':
      return Number((value as number).toPrecision(7));
    case 'int64':
    case 'uint64':
    case 'count':
      return String(value);
    default:
      return value;
  }
}
