import { logVerbosity, type MethodDefinition, setLogVerbosity } from '@grpc/grpc-js';
import { fromBinary, type Message, methodPath, type Service, toBinary } from '@hilltop/protobuf';

export type Definition = MethodDefinition<object, object>;

// It would write errors to stderr that callers get as a sentence.
setLogVerbosity(logVerbosity.NONE);

/** Converts a service of our tables to a definition of grpc-js, by method name. */
export function definitionOf(service: Service): Record<string, Definition> {
  const methods = Object.entries(service.methods).map(([name, [request, response]]) => {
    const isStream = response.kind === 'stream';
    const { encode, decode } = codecOf(request);
    const { encode: encodeAnswer, decode: decodeAnswer } = codecOf(isStream ? response.item : response);
    const definition: Definition = {
      path: methodPath(service, name),
      requestStream: false,
      responseStream: isStream,
      requestSerialize: encode,
      requestDeserialize: decode,
      responseSerialize: encodeAnswer,
      responseDeserialize: decodeAnswer,
    };
    return [name, definition] as const;
  });
  return Object.fromEntries(methods);
}

function codecOf(type: Message) {
  return {
    encode: (value: object) => Buffer.from(toBinary(type, value as never)),
    decode: (bytes: Uint8Array): object => fromBinary(type, bytes),
  };
}
