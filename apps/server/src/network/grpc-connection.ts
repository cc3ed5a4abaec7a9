import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { type ChannelCredentials, Client, connectivityState, credentials } from '@grpc/grpc-js';
import { RpcError } from '@hilltop/protobuf';
import type { Outgoing } from '../outgoing/outgoing.ts';
import { reasonOf } from './grpc-failure.ts';

/** The address as registered: `host:port`, and PEM texts, which are empty if missing. */
export interface RemoteAddress {
  server: string;
  caCert: string;
  tlsCert: string;
  tlsKey: string;
}

const connectLimitMs = 500;

/**
 * A connection that is ready for calls: plain without certificates, else TLS, with a client certificate if there is
 * one. Rejects with RpcError: `Unavailable` after 500 ms or when the server refuses, `InvalidArgument` for an invalid
 * address or certificate, `FailedPrecondition` for an address this server must not connect to.
 */
export async function connect(address: RemoteAddress, outgoing: Outgoing): Promise<Client> {
  const { server } = address;
  const { host, port } = hostAndPort(server);
  const secrets = credentialsOf(address, host);
  const limit = Date.now() + connectLimitMs;
  const target = targetOf(await before(limit, outgoing.resolve(host, port), server), port);
  const client = new Client(target, secrets, {
    'grpc.default_authority': server,
    // An IP address cannot be a TLS server name; `credentialsOf` verifies the names of the certificate.
    'grpc.ssl_target_name_override': isIP(host) ? 'address.invalid' : host,
    // A new attempt must neither inherit the back-off of an earlier one, nor connect through a proxy.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.client_idle_timeout_ms': 60_000,
  });
  const state = await settled(client, limit);
  if (state === connectivityState.READY) return client;
  const reason = state === connectivityState.TRANSIENT_FAILURE ? await reasonOf(client) : 'it does not answer';
  client.close();
  throw unreachable(server, reason);
}

export function isReady(client: Client): boolean {
  return client.getChannel().getConnectivityState(false) === connectivityState.READY;
}

export function unreachable(server: string, reason: string): RpcError {
  return new RpcError(
    'Unavailable',
    `The network-server ${server} cannot be reached: ${reason}. Check its address and certificates, and that it is running.`,
  );
}

function hostAndPort(server: string): { host: string; port: number } {
  const [, bracketed, name, digits] = /^(?:\[([0-9a-fA-F:]+)\]|([^\s:/[\]]+)):(\d{1,5})$/.exec(server) ?? [];
  const host = bracketed ?? name;
  const port = Number(digits);
  if (host === undefined || !(port > 0 && port < 65_536))
    throw new RpcError('InvalidArgument', `The server must be a host with a port, such as ns.example.org:8000.`);
  return { host, port };
}

function credentialsOf({ caCert, tlsCert, tlsKey }: RemoteAddress, host: string): ChannelCredentials {
  if (caCert === '' && tlsCert === '' && tlsKey === '') return credentials.createInsecure();
  const pem = (text: string) => (text === '' ? null : Buffer.from(text));
  try {
    // gRPC would silently ignore an invalid CA.
    if (caCert !== '') new X509Certificate(caCert);
    return credentials.createSsl(pem(caCert), pem(tlsKey), pem(tlsCert), {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    });
  } catch (error) {
    throw new RpcError('InvalidArgument', certificateProblem(error as NodeJS.ErrnoException));
  }
}

function certificateProblem({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_OSSL_X509_KEY_VALUES_MISMATCH')
    return 'The TLS key is not the one the TLS certificate was made for.';
  if (message.includes('must be given')) return 'A TLS certificate and its key must be given together.';
  return 'The CA certificate, TLS certificate or TLS key is not valid PEM text.';
}

/**
 * Chooses IPv4 when there is a choice: a target has one address family, and few network servers listen on IPv6 alone.
 */
function targetOf(addresses: readonly { address: string; family: number }[], port: number): string {
  const four = addresses.filter(({ family }) => family === 4);
  if (four.length > 0) return `ipv4:${four.map(({ address }) => `${address}:${port}`).join(',')}`;
  return `ipv6:${addresses.map(({ address }) => `[${address}]:${port}`).join(',')}`;
}

async function before<T>(limit: number, work: Promise<T>, server: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreachable(server, 'its name is not resolved in time')), limit - Date.now());
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Starts connecting and answers the state at the end: ready, failed, or still connecting at the limit. */
async function settled(client: Client, limit: number): Promise<connectivityState> {
  const channel = client.getChannel();
  for (;;) {
    const state = channel.getConnectivityState(true);
    const isFinal = state === connectivityState.READY || state === connectivityState.TRANSIENT_FAILURE;
    if (isFinal || Date.now() >= limit) return state;
    await new Promise<void>((resolve) => channel.watchConnectivityState(state, limit, () => resolve()));
  }
}
