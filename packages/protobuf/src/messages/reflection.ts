/** The gRPC Server Reflection Protocol. Both of its versions have the same messages. */
import { message, repeated } from '../message.ts';
import { stream } from '../service.ts';

function reflectionOf(version: 'v1' | 'v1alpha') {
  const named = (name: string) => `grpc.reflection.${version}.${name}`;
  const asked = { oneof: 'message_request' } as const;
  const answered = { oneof: 'message_response' } as const;
  const ExtensionRequest = message(named('ExtensionRequest'), {
    containingType: [1, 'string'],
    extensionNumber: [2, 'int32'],
  });
  const ServerReflectionRequest = message(named('ServerReflectionRequest'), {
    host: [1, 'string'],
    fileByFilename: [3, 'string', asked],
    fileContainingSymbol: [4, 'string', asked],
    fileContainingExtension: [5, ExtensionRequest, asked],
    allExtensionNumbersOfType: [6, 'string', asked],
    listServices: [7, 'string', asked],
  });
  const FileDescriptorResponse = message(named('FileDescriptorResponse'), {
    fileDescriptorProto: [1, repeated('bytes')],
  });
  const ExtensionNumberResponse = message(named('ExtensionNumberResponse'), {
    baseTypeName: [1, 'string'],
    extensionNumber: [2, repeated('int32')],
  });
  const ServiceResponse = message(named('ServiceResponse'), { name: [1, 'string'] });
  const ListServiceResponse = message(named('ListServiceResponse'), { service: [1, repeated(ServiceResponse)] });
  const ErrorResponse = message(named('ErrorResponse'), { errorCode: [1, 'int32'], errorMessage: [2, 'string'] });
  const ServerReflectionResponse = message(named('ServerReflectionResponse'), {
    validHost: [1, 'string'],
    originalRequest: [2, ServerReflectionRequest],
    fileDescriptorResponse: [4, FileDescriptorResponse, answered],
    allExtensionNumbersResponse: [5, ExtensionNumberResponse, answered],
    listServicesResponse: [6, ListServiceResponse, answered],
    errorResponse: [7, ErrorResponse, answered],
  });
  const ServerReflection = {
    typeName: named('ServerReflection'),
    methods: { serverReflectionInfo: [stream(ServerReflectionRequest), stream(ServerReflectionResponse)] },
  } as const;
  return { ServerReflection, ServerReflectionRequest, ServerReflectionResponse };
}

export const v1 = reflectionOf('v1');
export const v1alpha = reflectionOf('v1alpha');
