import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer as createSecureServer, type TLSSocket } from 'node:tls';
import type { ErrorBoundary } from '@hilltop/network-server';
import type { Certificates } from '../certificates/certificates.ts';
import { handleConnectionErrors } from '../connections/boundary.ts';
import { connectionLimits, limitConnections } from '../connections/connection-limits.ts';
import { readFileLimit } from '../connections/file-limit.ts';
import type { Address } from '../setting-schemas.ts';
import { cannotListen } from '../start-error.ts';
import type { Clients } from './clients.ts';

/** The listening sockets of MQTT. */
export interface Listeners {
  tcp: number | undefined;
  tls: number | undefined;
  stop: () => void;
}

interface ListenersOptions {
  tcp: Address | null;
  tls: Address | null;
  certificates: Certificates;
  take: Clients['take'];
  boundary: ErrorBoundary;
  onRefused: (listener: 'mqtt' | 'mqtts') => void;
}

const sockets = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 } as const;
const handshakeMs = 10_000;
const renewEveryMs = 86_400_000;

/** Throws StartError when an address cannot be bound. */
export async function startListeners({
  tcp,
  tls,
  certificates,
  take,
  boundary,
  onRefused,
}: ListenersOptions): Promise<Listeners> {
  const servers: Server[] = [];
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    for (const server of servers) server.close();
    for (const timer of timers) clearInterval(timer);
  };

  async function open(server: Server, setting: 'HILLTOP_MQTT' | 'HILLTOP_MQTTS', address: Address): Promise<number> {
    limitConnections(server, connectionLimits(readFileLimit()), {
      isProxy: () => false,
      onRefused: () => onRefused(setting === 'HILLTOP_MQTT' ? 'mqtt' : 'mqtts'),
    });
    handleConnectionErrors(server, boundary);
    servers.push(server);
    try {
      server.listen(address.port, address.host);
      await once(server, 'listening');
    } catch (error) {
      stop();
      throw cannotListen(setting, address, error);
    }
    return (server.address() as AddressInfo).port;
  }

  function enter(socket: Socket, transport: 'TCP' | 'TLS'): void {
    const { remoteAddress: address } = socket;
    if (address === undefined) return void socket.destroy();
    const isProven = transport === 'TLS' && (socket as TLSSocket).authorized;
    const certificate = isProven ? (socket as TLSSocket).getPeerX509Certificate() : undefined;
    boundary.guard(socket, take)(socket, { transport, address, certificate });
  }

  async function secureServer(): Promise<Server> {
    const context = async () => ({
      ...(await certificates.ofListener()),
      ca: await certificates.clientAuthorities(),
      minVersion: 'TLSv1.2' as const,
    });
    // A client without one of our certificates may have a password, so the sign-in decides and not TLS.
    const asking = { requestCert: true, rejectUnauthorized: false, handshakeTimeout: handshakeMs };
    const server = createSecureServer({ ...sockets, ...asking, ...(await context()) });
    server.on('secureConnection', (socket) => {
      socket.setNoDelay(true);
      enter(socket, 'TLS');
    });
    const renew = async () => {
      const next = await context();
      createSecureContext(next);
      server.setSecureContext(next);
    };
    timers.push(setInterval(() => void renew().catch(() => undefined), renewEveryMs).unref());
    return server;
  }

  const tcpServer = createServer(sockets, (socket) => enter(socket, 'TCP'));
  return {
    tcp: tcp ? await open(tcpServer, 'HILLTOP_MQTT', tcp) : undefined,
    tls: tls ? await open(await secureServer(), 'HILLTOP_MQTTS', tls) : undefined,
    stop,
  };
}
