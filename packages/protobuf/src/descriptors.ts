/** Descriptors of services and messages: the files that a compiler would create from their `.proto` source. */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProtoSchema,
  type EnumDescriptorProtoSchema,
  type FieldDescriptorProtoSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  type ServiceDescriptorProtoSchema,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';
import type { Enumeration } from './enumeration.ts';
import { type Kind, type Message, protoName, type Scalar } from './message.ts';
import { methodName, type Stream } from './service.ts';

type MessageInit = MessageInitShape<typeof DescriptorProtoSchema>;
type EnumInit = MessageInitShape<typeof EnumDescriptorProtoSchema>;
type FieldInit = MessageInitShape<typeof FieldDescriptorProtoSchema>;
type ServiceInit = MessageInitShape<typeof ServiceDescriptorProtoSchema>;

/** A service; unlike those that Hilltop calls, it may receive streams as well. */
export interface DescribedService {
  readonly typeName: string;
  readonly methods: { readonly [name: string]: readonly [request: Message | Stream, response: Message | Stream] };
}

/** A file of descriptors for one package. */
export interface DescribedFile {
  /** `api.proto` */
  readonly name: string;
  /** Names of the imported files. */
  readonly imports: readonly string[];
  /** Full names of its services, methods, messages and enumerations. */
  readonly symbols: readonly string[];
  /** A FileDescriptorProto. */
  readonly bytes: Uint8Array;
}

const google = [file_google_protobuf_timestamp, file_google_protobuf_duration, file_google_protobuf_empty];
const fileOfGoogle = new Map(
  google.flatMap(({ proto }) => proto.messageType.map(({ name }) => [`google.protobuf.${name}`, proto.name])),
);

const scalars: Readonly<Record<Scalar, Type>> = {
  double: Type.DOUBLE,
  float: Type.FLOAT,
  int32: Type.INT32,
  uint32: Type.UINT32,
  int64: Type.INT64,
  uint64: Type.UINT64,
  bool: Type.BOOL,
  string: Type.STRING,
  bytes: Type.BYTES,
};

/** Packages have a level or more, names are never nested: `grpc.reflection.v1` and `ServerReflection`. */
function split(typeName: string): readonly [packageName: string, name: string] {
  const at = typeName.lastIndexOf('.');
  return [typeName.slice(0, at), typeName.slice(at + 1)];
}

function fileOf(typeName: string): string {
  return fileOfGoogle.get(typeName) ?? `${split(typeName)[0]}.proto`;
}

interface Package {
  services: ServiceInit[];
  messages: MessageInit[];
  enumerations: EnumInit[];
  imports: Set<string>;
}

/** The files of these services, and of everything they refer to. A file follows those that it imports. */
export function describeServices(services: readonly DescribedService[]): readonly DescribedFile[] {
  const packages = new DescribedPackages();
  for (const service of services) packages.addService(service);
  const files = [...packages.files(), ...google.map(({ proto }) => proto)];
  return Array.from(importedFirst(files), described);
}

/** Packages that grow by each service, and by everything it refers to. */
class DescribedPackages {
  readonly #packages = new Map<string, Package>();
  readonly #known = new Set<string>();

  addService({ typeName, methods }: DescribedService): void {
    this.#packageOf(typeName).services.push({
      name: split(typeName)[1],
      method: Object.entries(methods).map(([method, [request, response]]) => ({
        name: methodName(method),
        inputType: this.#referToMessage(typeName, itemOf(request)),
        outputType: this.#referToMessage(typeName, itemOf(response)),
        clientStreaming: request.kind === 'stream',
        serverStreaming: response.kind === 'stream',
      })),
    });
  }

  files(): FileDescriptorProto[] {
    return [...this.#packages].map(([name, { services: service, messages, enumerations, imports }]) =>
      create(FileDescriptorProtoSchema, {
        name: `${name}.proto`,
        package: name,
        syntax: 'proto3',
        dependency: [...imports],
        service,
        messageType: messages,
        enumType: enumerations,
      }),
    );
  }

  #packageOf(typeName: string): Package {
    const [name] = split(typeName);
    const found = this.#packages.get(name) ?? { services: [], messages: [], enumerations: [], imports: new Set() };
    this.#packages.set(name, found);
    return found;
  }

  /** The reference to a type from a type of the same or another file, which is described as well. */
  #refer(from: string, to: string, describe: () => void): string {
    if (fileOf(from) !== fileOf(to)) this.#packageOf(from).imports.add(fileOf(to));
    if (!this.#known.has(to) && !fileOfGoogle.has(to)) {
      this.#known.add(to);
      describe();
    }
    return `.${to}`;
  }

  #referToMessage(from: string, to: Message): string {
    return this.#refer(from, to.typeName, () => this.#packageOf(to.typeName).messages.push(this.#messageOf(to)));
  }

  #referToEnumeration(from: string, to: Enumeration): string {
    return this.#refer(from, to.typeName, () => this.#packageOf(to.typeName).enumerations.push(enumerationOf(to)));
  }

  #typeOf(from: string, kind: Exclude<Kind, { kind: 'map' | 'repeated' }>): FieldInit {
    if (kind === 'timestamp')
      return { type: Type.MESSAGE, typeName: this.#refer(from, 'google.protobuf.Timestamp', () => undefined) };
    if (kind === 'duration')
      return { type: Type.MESSAGE, typeName: this.#refer(from, 'google.protobuf.Duration', () => undefined) };
    if (typeof kind === 'string') return { type: scalars[kind] };
    if (kind.kind === 'enum') return { type: Type.ENUM, typeName: this.#referToEnumeration(from, kind) };
    return { type: Type.MESSAGE, typeName: this.#referToMessage(from, kind) };
  }

  #messageOf({ typeName, fields }: Message): MessageInit {
    const rows = Object.entries(fields);
    const chosen = rows.flatMap(([, [, , options]]) => options?.oneof ?? []);
    const isShared = (oneof: string) => chosen.indexOf(oneof) !== chosen.lastIndexOf(oneof);
    const oneofs = [...new Set(chosen)].filter(isShared);
    // `optional` is a oneof with one member: compilers create one for it, after the others.
    const alone = rows.flatMap(([name, [, kind, { oneof } = {}]]) =>
      oneof === undefined || isShared(oneof) || isAbsentWithoutOneof(kind) ? [] : [name],
    );
    const oneofDecl = [...oneofs, ...alone.map((name) => `_${protoName(name, fields[name]![2])}`)];
    const nestedType: MessageInit[] = [];
    const field = rows.map(([jsonName, [number, kind, options]]): FieldInit => {
      const name = protoName(jsonName, options);
      const common = { name, jsonName, number, label: Label.OPTIONAL };
      if (typeof kind === 'object' && kind.kind === 'repeated')
        return { ...common, label: Label.REPEATED, ...this.#typeOf(typeName, kind.item) };
      if (typeof kind === 'object' && kind.kind === 'map') {
        const entry = entryOf(name, scalars[kind.key], this.#typeOf(typeName, kind.value));
        nestedType.push(entry);
        return { ...common, label: Label.REPEATED, type: Type.MESSAGE, typeName: `.${typeName}.${entry.name}` };
      }
      const isAlone = alone.includes(jsonName);
      const oneofIndex = oneofDecl.indexOf(isAlone ? `_${name}` : (options?.oneof ?? ''));
      return {
        ...common,
        ...this.#typeOf(typeName, kind),
        ...(oneofIndex >= 0 && { oneofIndex }),
        ...(isAlone && { proto3Optional: true }),
      };
    });
    return { name: split(typeName)[1], field, nestedType, oneofDecl: oneofDecl.map((name) => ({ name })) };
  }
}

/** Readers read files in order, so each file comes after those it refers to. */
function importedFirst(files: readonly FileDescriptorProto[]): Iterable<FileDescriptorProto> {
  const ordered = new Set<FileDescriptorProto>();
  const add = (file: FileDescriptorProto) => {
    for (const other of files) if (file.dependency.includes(other.name)) add(other);
    ordered.add(file);
  };
  files.forEach(add);
  return ordered;
}

function described(proto: FileDescriptorProto): DescribedFile {
  const types = [...proto.service, ...proto.messageType, ...proto.enumType].map(({ name }) => name);
  const methods = proto.service.flatMap(({ name, method }) => method.map((one) => `${name}.${one.name}`));
  return {
    name: proto.name,
    imports: proto.dependency,
    symbols: [...types, ...methods].map((name) => `${proto.package}.${name}`),
    bytes: toBinary(FileDescriptorProtoSchema, proto),
  };
}

function itemOf(of: Message | Stream): Message {
  return of.kind === 'stream' ? of.item : of;
}

/** True for sub-messages. */
function isAbsentWithoutOneof(kind: Kind): boolean {
  return typeof kind === 'string' ? kind === 'timestamp' || kind === 'duration' : kind.kind !== 'enum';
}

function enumerationOf({ typeName, numbers }: Enumeration): EnumInit {
  return { name: split(typeName)[1], value: Object.entries(numbers).map(([name, number]) => ({ name, number })) };
}

/** A map on the wire is a list of these. */
function entryOf(field: string, key: Type, value: FieldInit) {
  const words = field.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  const common = { label: Label.OPTIONAL };
  return {
    name: `${words.join('')}Entry`,
    field: [
      { ...common, name: 'key', jsonName: 'key', number: 1, type: key },
      { ...common, ...value, name: 'value', jsonName: 'value', number: 2 },
    ],
    options: { mapEntry: true },
  };
}
