/**
 * Services as tables, and the TypeScript type of a service: an embedded one is called directly, a remote one is a gRPC
 * client of the same type. The key is the method in camelCase; gRPC capitalises its first letter.
 */
import type { Message, MessageOf } from './message.ts';

export type Stream<M extends Message = Message> = { readonly kind: 'stream'; readonly item: M };
export type Method = readonly [request: Message, response: Message | Stream];
export type Methods = { readonly [name: string]: Method };
export type Service<M extends Methods = Methods> = {
  readonly kind: 'service';
  readonly typeName: string;
  readonly methods: M;
};

export function service<const M extends Methods>(typeName: string, methods: M): Service<M> {
  return { kind: 'service', typeName, methods };
}

export function stream<const M extends Message>(item: M): Stream<M> {
  return { kind: 'stream', item };
}

/** The path of a method on the wire: `/ns.NetworkServerService/GetVersion`. */
export function methodPath(of: Service, method: string): string {
  return `/${of.typeName}/${methodName(method)}`;
}

/** The name of a method in gRPC. */
export function methodName(method: string): string {
  return `${method[0]?.toUpperCase()}${method.slice(1)}`;
}

type Call<Request, Response> =
  Response extends Stream<infer Item>
    ? (request: MessageOf<Request>, signal: AbortSignal) => AsyncIterable<MessageOf<Item>>
    : (request: MessageOf<Request>) => Promise<MessageOf<Response>>;

/**
 * The implementation of a service. Unary methods reject with `RpcError`; streams run until `signal` aborts or the
 * reader ends the loop.
 */
export type ServiceOf<S> = S extends Service<infer M> ? { [K in keyof M]: Call<M[K][0], M[K][1]> } : never;
