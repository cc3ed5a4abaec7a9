import services from '@chirpstack/chirpstack-api/as/as_grpc_pb.js';
import { credentials } from '@grpc/grpc-js';
import type { Identity } from './certificates.ts';

type Client = InstanceType<typeof services.ApplicationServerServiceClient>;
type Method = Exclude<keyof Client, 'close' | 'getChannel' | 'waitForReady' | `make${string}`>;

/** Calls back like a remote network server, with the published implementation of the messages. */
export interface RemoteCalls extends Disposable {
  /** Rejects with the status as `{ code, details }`. */
  call: (method: Method, request: object) => Promise<unknown>;
}

export function remoteCalls(port: number, identity?: Partial<Identity>): RemoteCalls {
  const pem = (text?: string) => (text === undefined ? null : Buffer.from(text));
  const secrets = identity
    ? credentials.createSsl(pem(identity.ca), pem(identity.key), pem(identity.cert))
    : credentials.createInsecure();
  const client = new services.ApplicationServerServiceClient(`localhost:${port}`, secrets);
  type Call = (request: object, answer: (error: Error | null, response: unknown) => void) => void;
  return {
    call: (method, request) =>
      new Promise((resolve, reject) => {
        const call = client[method] as unknown as Call;
        call.call(client, request, (error, response) => (error ? reject(error) : resolve(response)));
      }),
    [Symbol.dispose]: () => client.close(),
  };
}
