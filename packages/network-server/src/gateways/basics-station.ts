/**
 * LoRa Basics Station on one HTTP server for all regions: a station asks for its way (`/router-info`), then keeps a
 * websocket (`/gateway/<EUI>`) for everything else. The protocol has no word for an uplink that arrived: when the journal
 * falls behind, the station is read no further.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { formatID6, PacketError, readEUI, readRouterQuery } from '@hilltop/gateway-protocols';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { createErrorBoundary } from '../platform/error-boundary.ts';
import { createExchange } from './exchange.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import { createStationConnection, type StationConnection } from './station-connection.ts';

/**
 * Whether a station is who it says: `unproven` when it only says so and that is enough. What proves it has a name, under
 * which its end is told.
 */
export type Identity = { provenBy: string } | 'unproven' | 'refused';

export interface BasicsStationNeeds extends LinkNeeds {
  /** Listened on by whoever made it, who also bounds its connections. */
  server: Server;
  identify: (gatewayID: string, request: IncomingMessage) => Promise<Identity>;
  /** Hears that a proof may have ended, until what it answers is called. */
  whenChanged: (provenBy: string, listener: () => void) => Promise<() => void>;
  /** Whether the station came by TLS. */
  isSecure: (request: IncomingMessage) => boolean;
}

type Admitted = Exclude<Identity, 'refused'>;

const unheardProof = 'The end of what proves a station is noticed late.';
const mostMessageBytes = 64 * 1024;
const tickEveryMs = 1_000;
const queryMs = 10_000;

export function serveBasicsStation(needs: BasicsStationNeeds): Link {
  const {
    server,
    identify,
    whenChanged,
    isSecure,
    networkServerOf,
    gateways,
    clock,
    count,
    mostGateways = 50_000,
  } = needs;
  const exchange = createExchange(needs);
  const boundary = createErrorBoundary('basics_station', needs);
  const websockets = new WebSocketServer({ noServer: true, maxPayload: mostMessageBytes, perMessageDeflate: false });
  const connections = new Map<string, StationConnection>();
  /** Between the request and the connection. */
  const entering = new Set<string>();
  const asking = new Set<WebSocket>();

  function refuse(reason: string, gatewayID: string, { socket }: IncomingMessage): string {
    count('gateway_connections_refused', { reason });
    exchange.warn(reason, { gatewayID, address: socket.remoteAddress }, 'A station was refused.');
    return reason;
  }

  /** The network of a station that may connect, or why it may not. */
  async function admit(gatewayID: string, request: IncomingMessage): Promise<[GatewayNetwork, Admitted] | string> {
    const identity = await identify(gatewayID, request);
    if (identity === 'refused') {
      // The look-up is noted for the list of unknown gateways. The answer does not wait for it and does not depend on
      // it: a station without proof does not learn which gateways are registered.
      exchange.follow({ gatewayID, address: request.socket.remoteAddress ?? '' }, async () => undefined);
      return refuse('no-proof', gatewayID, request);
    }
    const network = await networkServerOf(gatewayID, request.socket.remoteAddress);
    return network ? [network, identity] : refuse('unknown-gateway', gatewayID, request);
  }

  async function showWay(socket: WebSocket, request: IncomingMessage, text: string): Promise<void> {
    const gatewayID = readRouterQuery(text);
    const router = formatID6(gatewayID);
    const admitted = await admit(gatewayID, request);
    if (typeof admitted === 'string') return socket.send(JSON.stringify({ router, error: sentences[admitted] }));
    const uri = `${isSecure(request) ? 'wss' : 'ws'}://${request.headers.host}/gateway/${gatewayID}`;
    socket.send(JSON.stringify({ router, muxs: formatID6('0000000000000000'), uri }));
  }

  function answerQuery(socket: WebSocket, request: IncomingMessage): void {
    asking.add(socket);
    const cancel = clock.after(queryMs, () => socket.terminate());
    socket.on('error', () => count('gateway_messages_dropped', { fault: 'query' }));
    socket.on('close', () => {
      asking.delete(socket);
      cancel();
    });
    const answer = (data: RawData) =>
      showWay(socket, request, (data as Buffer).toString())
        .catch((error: unknown) => {
          const fault = error instanceof PacketError ? error.fault : 'not-taken';
          count('gateway_messages_dropped', { fault });
          exchange.warn(fault, { reason: String(error) }, 'A query of a station was dropped.');
        })
        .finally(() => socket.close(1000));
    socket.once('message', boundary.guard(socket, answer));
  }

  /** The connection of a dead one would keep its gateway out: who has it is asked first. */
  async function isTaken(gatewayID: string, identity: Admitted): Promise<boolean> {
    const holder = connections.get(gatewayID);
    if (!holder) return false;
    const isStronger = identity !== 'unproven' && !holder.path.isProven;
    if (!isStronger && (await holder.isAlive())) return true;
    count('gateway_connections_ended', { reason: 'replaced' });
    connections.delete(gatewayID);
    gateways.close(gatewayID, holder.path);
    holder.drop();
    return false;
  }

  async function enter(request: IncomingMessage, socket: Duplex, head: Buffer, given: string): Promise<void> {
    const gatewayID = readEUI(given, 'path');
    if (entering.has(gatewayID)) return turnAway(socket, refuse('connected', gatewayID, request));
    entering.add(gatewayID);
    try {
      const admitted = await admit(gatewayID, request);
      if (typeof admitted === 'string') return turnAway(socket, admitted);
      const [network, identity] = admitted;
      if (await isTaken(gatewayID, identity)) return turnAway(socket, refuse('connected', gatewayID, request));
      if (connections.size >= mostGateways) return turnAway(socket, refuse('full', gatewayID, request));
      if (socket.destroyed) return;
      websockets.handleUpgrade(request, socket, head, (opened) =>
        boundary.guard(opened, connect)(opened, request, { gatewayID, network, identity }),
      );
    } finally {
      entering.delete(gatewayID);
    }
  }

  function connect(
    socket: WebSocket,
    request: IncomingMessage,
    whose: { gatewayID: string; network: GatewayNetwork; identity: Admitted },
  ): void {
    const { gatewayID, network, identity } = whose;
    const address = request.socket.remoteAddress ?? '';
    const isWelcome = async () => (await identify(gatewayID, request)) !== 'refused';
    const isProven = identity !== 'unproven';
    const known = { gatewayID, network, isProven, address, isWelcome };
    const connection = createStationConnection({ ...needs, ...known, socket, exchange, boundary });
    if (!gateways.open(gatewayID, connection.path)) {
      refuse('other-link', gatewayID, request);
      return connection.close(1008, 'the gateway is connected in another way');
    }
    connections.set(gatewayID, connection);
    socket.on('close', () => {
      if (connections.get(gatewayID) === connection) connections.delete(gatewayID);
    });
    exchange.follow({ gatewayID, address }, () => network.gatewaySeen(gatewayID));
    if (!isProven) return;
    const listening = whenChanged(identity.provenBy, () => connection.prove());
    listening.catch((error: unknown) => exchange.warn('proof', { gatewayID, reason: String(error) }, unheardProof));
    socket.on('close', () => void listening.then((stop) => stop()).catch(() => undefined));
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    boundary.guard(socket, route)(request, socket, head);
  }

  function route(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = pathOf(request);
    const [, eui] = (request.headersDistinct['host'] ?? []).length > 1 ? [] : (/^\/gateway\/([^/]+)$/.exec(path) ?? []);
    if (eui !== undefined) {
      enter(request, socket, head, eui).catch((error: unknown) => {
        const fault = error instanceof PacketError ? error.fault : 'not-taken';
        exchange.warn(fault, { path, reason: String(error) }, 'A station could not connect.');
        count('gateway_messages_dropped', { fault });
        turnAway(socket, fault);
      });
    } else if (path === '/router-info' && isHost(request)) {
      websockets.handleUpgrade(request, socket, head, (opened) => answerQuery(opened, request));
    } else {
      count('gateway_messages_dropped', { fault: 'path' });
      turnAway(socket, 'path');
    }
  }

  server.on('upgrade', upgrade);
  server.on('request', (_request, response) => {
    response.writeHead(426, { upgrade: 'websocket', 'content-type': 'text/plain', connection: 'close' });
    response.end('LoRa Basics Station speaks here over a websocket.\n');
  });
  let cancelTick = clock.after(tickEveryMs, tick);
  function tick(): void {
    for (const connection of connections.values()) boundary.guard(connection.socket, () => connection.tick())();
    cancelTick = clock.after(tickEveryMs, tick);
  }

  function stop(): Promise<void> {
    cancelTick();
    server.off('upgrade', upgrade);
    for (const [gatewayID, connection] of connections) {
      gateways.close(gatewayID, connection.path);
      connection.close(1001, 'the server stops');
      connection.drop();
    }
    for (const socket of asking) socket.terminate();
    return Promise.resolve();
  }
  return { stop, [Symbol.asyncDispose]: stop };
}

/** Why a station may not connect, and what to do about it. */
const sentences: Readonly<Record<string, string>> = {
  'unknown-gateway': 'the gateway is not registered: create it in the console first',
  'no-proof':
    'the gateway did not prove who it is, or is not registered: create it in the console, and give it its client certificate or an API key',
};

const statusOf: Readonly<Record<string, string>> = {
  'unknown-gateway': '404 Not Found',
  'no-proof': '403 Forbidden',
  connected: '409 Conflict',
  full: '503 Service Unavailable',
};

function turnAway(socket: Duplex, reason: string): void {
  if (socket.destroyed) return;
  socket.end(`HTTP/1.1 ${statusOf[reason] ?? '400 Bad Request'}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function pathOf({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] ?? '';
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** It goes into an address that the station connects to. */
function isHost({ headersDistinct }: IncomingMessage): boolean {
  const [host, another] = headersDistinct['host'] ?? [];
  if (another !== undefined) return false;
  return host !== undefined && /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(host);
}
