/** Describes the services to gRPC clients that have no `.proto` files (gRPC Server Reflection Protocol). */
import { ApiError, describedServices, type Operation, refusal } from '@hilltop/contract';
import type { ErrorBoundary } from '@hilltop/network-server';
import { create, fromBinary, type InitOf, type MessageOf, RpcError, reflection, toBinary } from '@hilltop/protobuf';
import type { DescribedFile } from '@hilltop/protobuf/descriptors';
import type { Stream } from '../http2.ts';
import type { GrpcAnswer } from './answer.ts';
import { eachMessage } from './messages.ts';

/** A question contains the name of a file or of a symbol. */
const largestQuestion = 4096;

const versions = [reflection.v1, reflection.v1alpha];
type Version = (typeof versions)[number];
type Question = MessageOf<Version['ServerReflectionRequest']>;
type ReflectionAnswer = InitOf<Version['ServerReflectionResponse']>;

const versionOfService = new Map(versions.map((version) => [version.ServerReflection.typeName as string, version]));
export const reflectionServices: readonly string[] = [...versionOfService.keys()];

/** The version of the protocol at this path; undefined at other paths. */
export function reflectionAt(path: string): Version | undefined {
  const [, service = '', method] = path.split('/');
  return method === 'ServerReflectionInfo' ? versionOfService.get(service) : undefined;
}

interface Described {
  services: readonly string[];
  files: readonly DescribedFile[];
}

/** Answers questions about these operations and about the reflection service itself. */
export function createReflection(operations: readonly Operation[], boundary: ErrorBoundary) {
  let described: Promise<Described> | undefined;

  /** Runs at the first question, because few clients ask. */
  async function describe(): Promise<Described> {
    const { describeServices } = await import('@hilltop/protobuf/descriptors');
    const services = [...describedServices(operations), ...versions.map(({ ServerReflection }) => ServerReflection)];
    return { services: services.map(({ typeName }) => typeName).sort(), files: describeServices(services) };
  }

  return async (stream: Stream, answer: GrpcAnswer, version: Version): Promise<void> => {
    answer.begin();
    described ??= describe();
    const known = await described;
    const handler = {
      answer: (message: Buffer) => {
        const question = readQuestion(version, message);
        if (question instanceof ApiError) return question;
        const response = { validHost: question.host, originalRequest: question, ...answerTo(known, question) };
        answer.send(toBinary(version.ServerReflectionResponse, create(version.ServerReflectionResponse, response)));
        return undefined;
      },
      end: (error?: ApiError) => void answer.end(error),
    };
    eachMessage(stream, largestQuestion, handler, boundary);
  };
}

function readQuestion({ ServerReflectionRequest }: Version, message: Buffer): Question | ApiError {
  try {
    return fromBinary(ServerReflectionRequest, message);
  } catch (error) {
    if (error instanceof RpcError) return refusal('NOT_PROTOBUF', { problem: error.message });
    throw error;
  }
}

function answerTo({ services, files }: Described, question: Question): ReflectionAnswer {
  const { listServices, fileByFilename, fileContainingSymbol, allExtensionNumbersOfType } = question;
  if (listServices !== undefined) return { listServicesResponse: { service: services.map((name) => ({ name })) } };
  const symbol = fileContainingSymbol ?? allExtensionNumbersOfType ?? question.fileContainingExtension?.containingType;
  const file = files.find(({ name, symbols }) =>
    symbol === undefined ? name === fileByFilename : symbols.includes(symbol),
  );
  // No message has extensions.
  if (!file || question.fileContainingExtension) return notFound(symbol ?? fileByFilename ?? '');
  if (allExtensionNumbersOfType !== undefined)
    return { allExtensionNumbersResponse: { baseTypeName: allExtensionNumbersOfType } };
  return { fileDescriptorResponse: { fileDescriptorProto: withImports(files, file).map(({ bytes }) => bytes) } };
}

function notFound(name: string): ReflectionAnswer {
  const { code, message } = refusal('UNKNOWN_SYMBOL', { name });
  return { errorResponse: { errorCode: code, errorMessage: message } };
}

/** The file and everything it imports. */
function withImports(files: readonly DescribedFile[], file: DescribedFile): readonly DescribedFile[] {
  const found = new Set([file]);
  // The set grows while the loop runs.
  for (const { imports } of found) for (const other of files) if (imports.includes(other.name)) found.add(other);
  return [...found];
}
