import { RpcError } from '@hilltop/protobuf';

/** Bytes of a request as the hex text under which they are stored. @throws RpcError InvalidArgument on another length */
export function toHex(bytes: Uint8Array, length: number, name: string): string {
  if (bytes.length !== length) {
    throw new RpcError('InvalidArgument', `The ${name} must have ${length} bytes, this one has ${bytes.length}.`);
  }
  return bytes.toHex();
}

/** The same for an id that may be absent: then the text is empty. */
export function toOptionalHex(bytes: Uint8Array, length: number, name: string): string {
  return bytes.length === 0 ? '' : toHex(bytes, length, name);
}

export const toDevEUI = (bytes: Uint8Array) => toHex(bytes, 8, 'DevEUI');
export const toGatewayID = (bytes: Uint8Array) => toHex(bytes, 8, 'gateway ID');
export const toUUID = (bytes: Uint8Array, name: string) => toHex(bytes, 16, `ID of the ${name}`);

/** A sub-message that the request must contain. */
export function required<T>(message: T | null, name: string): T {
  if (message === null) throw new RpcError('InvalidArgument', `The request must hold the ${name}.`);
  return message;
}

export function notFound(name: string): RpcError {
  return new RpcError('NotFound', `The network server knows no such ${name}.`);
}
