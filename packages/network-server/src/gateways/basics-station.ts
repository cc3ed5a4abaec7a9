/**
 * LoRa Basics Station on one HTTP server for all regions: a station queries its address (`/router-info`), then opens a
 * websocket (`/gateway/<EUI>`) for everything else. The protocol has no acknowledgement of an uplink: while the journal
 * is behind, the link stops reading from the connection.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { formatID6, PacketError, readEUI, readRouterQuery } from '@hilltop/gateway-protocols';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { createErrorBoundary, type ErrorBoundary } from '../platform/error-boundary.ts';
import { createExchange, type Exchange } from './exchange.ts';
import type { GatewayNetwork, Link, LinkNeeds } from './link.ts';
import { StationConnection } from './station-connection.ts';

/**
 * The proof of a station: `unproven` when it has none and needs none. A proof has a name, by which `whenChanged`
 * reports that it may have ended.
 */
export type Identity = { provenBy: string } | 'unproven' | 'refused';

export interface BasicsStationNeeds extends LinkNeeds {
  /** The owner of the server starts it, and limits its connections. */
  server: Server;
  identify: (gatewayID: string, request: IncomingMessage) => Promise<Identity>;
  /** Calls back when a proof may have ended, until the returned function is called. */
  whenChanged: (provenBy: string, listener: () => void) => Promise<() => void>;
  /** Whether the station uses TLS. */
  isSecure: (request: IncomingMessage) => boolean;
}

type Admitted = Exclude<Identity, 'refused'>;

const mostMessageBytes = 64 * 1024;
const tickEveryMs = 1_000;
const queryWithinMs = 10_000;

export function serveBasicsStation(needs: BasicsStationNeeds): Link {
  return new BasicsStationLink(needs);
}

class BasicsStationLink implements Link {
  readonly #needs: BasicsStationNeeds;
  readonly #exchange: Exchange;
  readonly #boundary: ErrorBoundary;
  readonly #websockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostMessageBytes,
    perMessageDeflate: false,
  });
  readonly #connections = new Map<string, StationConnection>();
  /** Gateways between their request and their connection. */
  readonly #entering = new Set<string>();
  readonly #queries = new Set<WebSocket>();
  readonly #onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  #cancelTick: () => void = () => undefined;

  constructor(needs: BasicsStationNeeds) {
    this.#needs = needs;
    this.#exchange = createExchange(needs);
    this.#boundary = createErrorBoundary('basics_station', needs);
    this.#onUpgrade = (request, socket, head) =>
      this.#boundary.guard(socket, () => this.#route(request, socket, head))();
    needs.server.on('upgrade', this.#onUpgrade);
    needs.server.on('request', (_request, response) => {
      response.writeHead(426, { upgrade: 'websocket', 'content-type': 'text/plain', connection: 'close' });
      response.end('LoRa Basics Station speaks here over a websocket.\n');
    });
    this.#tickLater();
  }

  stop(): Promise<void> {
    const { server, gateways } = this.#needs;
    this.#cancelTick();
    server.off('upgrade', this.#onUpgrade);
    for (const [gatewayID, connection] of this.#connections) {
      gateways.close(gatewayID, connection.path);
      connection.close(1001, 'the server stops');
      connection.terminate();
    }
    for (const socket of this.#queries) socket.terminate();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #route(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { count } = this.#needs;
    socket.on('error', () => socket.destroy());
    const path = pathOf(request);
    const hosts = request.headersDistinct['host'] ?? [];
    const [, eui] = hosts.length > 1 ? [] : (/^\/gateway\/([^/]+)$/.exec(path) ?? []);
    if (eui !== undefined) {
      this.#enter(request, socket, head, eui).catch((error: unknown) => {
        const fault = error instanceof PacketError ? error.fault : 'not-taken';
        this.#exchange.warn(fault, { path, reason: String(error) }, 'A station could not connect.');
        count('gateway_messages_dropped', { fault });
        rejectUpgrade(socket, fault);
      });
    } else if (path === '/router-info' && isHost(request)) {
      this.#websockets.handleUpgrade(request, socket, head, (opened) => this.#awaitQuery(opened, request));
    } else {
      count('gateway_messages_dropped', { fault: 'path' });
      rejectUpgrade(socket, 'path');
    }
  }

  #awaitQuery(socket: WebSocket, request: IncomingMessage): void {
    const { clock, count } = this.#needs;
    this.#queries.add(socket);
    const cancel = clock.after(queryWithinMs, () => socket.terminate());
    socket.on('error', () => count('gateway_messages_dropped', { fault: 'query' }));
    socket.on('close', () => {
      this.#queries.delete(socket);
      cancel();
    });
    const answer = (data: RawData) =>
      this.#answerQuery(socket, request, (data as Buffer).toString())
        .catch((error: unknown) => {
          const fault = error instanceof PacketError ? error.fault : 'not-taken';
          count('gateway_messages_dropped', { fault });
          this.#exchange.warn(fault, { reason: String(error) }, 'A query of a station was dropped.');
        })
        .finally(() => socket.close(1000));
    socket.once('message', this.#boundary.guard(socket, answer));
  }

  async #answerQuery(socket: WebSocket, request: IncomingMessage, text: string): Promise<void> {
    const gatewayID = readRouterQuery(text);
    const router = formatID6(gatewayID);
    const admitted = await this.#admit(gatewayID, request);
    if (typeof admitted === 'string') return socket.send(JSON.stringify({ router, error: sentences[admitted] }));
    const scheme = this.#needs.isSecure(request) ? 'wss' : 'ws';
    const uri = `${scheme}://${request.headers.host}/gateway/${gatewayID}`;
    socket.send(JSON.stringify({ router, muxs: formatID6('0000000000000000'), uri }));
  }

  async #enter(request: IncomingMessage, socket: Duplex, head: Buffer, eui: string): Promise<void> {
    const { mostGateways = 50_000 } = this.#needs;
    const gatewayID = readEUI(eui, 'path');
    const reject = (reason: string) => rejectUpgrade(socket, this.#refuse(reason, gatewayID, request));
    if (this.#entering.has(gatewayID)) return reject('connected');
    this.#entering.add(gatewayID);
    try {
      const admitted = await this.#admit(gatewayID, request);
      if (typeof admitted === 'string') return rejectUpgrade(socket, admitted);
      const [network, identity] = admitted;
      if (await this.#isConnected(gatewayID, identity)) return reject('connected');
      if (this.#connections.size >= mostGateways) return reject('full');
      if (socket.destroyed) return;
      this.#websockets.handleUpgrade(request, socket, head, (opened) => {
        const connect = () => this.#connect(opened, request, { gatewayID, network, identity });
        this.#boundary.guard(opened, connect)();
      });
    } finally {
      this.#entering.delete(gatewayID);
    }
  }

  /** The network of a station that may connect, or the reason why it may not. */
  async #admit(gatewayID: string, request: IncomingMessage): Promise<[GatewayNetwork, Admitted] | string> {
    const { identify, networkServerOf } = this.#needs;
    const address = request.socket.remoteAddress;
    const identity = await identify(gatewayID, request);
    if (identity === 'refused') {
      // The look-up is noted for the list of unknown gateways. The answer does not wait for it and does not depend on
      // it: a station without proof does not learn which gateways are registered.
      this.#exchange.follow({ gatewayID, address: address ?? '' }, async () => undefined);
      return this.#refuse('no-proof', gatewayID, request);
    }
    const network = await networkServerOf(gatewayID, address);
    return network ? [network, identity] : this.#refuse('unknown-gateway', gatewayID, request);
  }

  #refuse(reason: string, gatewayID: string, { socket }: IncomingMessage): string {
    this.#needs.count('gateway_connections_refused', { reason });
    this.#exchange.warn(reason, { gatewayID, address: socket.remoteAddress }, 'A station was refused.');
    return reason;
  }

  /** Whether a station keeps its connection. One that does not answer a ping loses it, or it would lock the gateway out. */
  async #isConnected(gatewayID: string, identity: Admitted): Promise<boolean> {
    const { count, gateways } = this.#needs;
    const holder = this.#connections.get(gatewayID);
    if (!holder) return false;
    const isStronger = identity !== 'unproven' && !holder.path.isProven;
    if (!isStronger && (await holder.isAlive())) return true;
    count('gateway_connections_ended', { reason: 'replaced' });
    this.#connections.delete(gatewayID);
    gateways.close(gatewayID, holder.path);
    holder.terminate();
    return false;
  }

  #connect(
    socket: WebSocket,
    request: IncomingMessage,
    { gatewayID, network, identity }: { gatewayID: string; network: GatewayNetwork; identity: Admitted },
  ): void {
    const address = request.socket.remoteAddress ?? '';
    const connection = new StationConnection({
      ...this.#needs,
      socket,
      gatewayID,
      network,
      address,
      isProven: identity !== 'unproven',
      isAdmitted: async () => (await this.#needs.identify(gatewayID, request)) !== 'refused',
      exchange: this.#exchange,
      boundary: this.#boundary,
    });
    if (!this.#needs.gateways.open(gatewayID, connection.path)) {
      this.#refuse('other-link', gatewayID, request);
      return connection.close(1008, 'the gateway is connected in another way');
    }
    this.#connections.set(gatewayID, connection);
    socket.on('close', () => {
      if (this.#connections.get(gatewayID) === connection) this.#connections.delete(gatewayID);
    });
    this.#exchange.follow({ gatewayID, address }, () => network.gatewaySeen(gatewayID));
    if (identity !== 'unproven') this.#watchProof(gatewayID, identity.provenBy, connection);
  }

  /** Checks the proof of a connection when it changes; without a notice the connection checks it regularly. */
  #watchProof(gatewayID: string, provenBy: string, connection: StationConnection): void {
    const watching = this.#needs.whenChanged(provenBy, () => connection.checkProof());
    const text = 'The end of what proves a station is noticed late.';
    watching.catch((error: unknown) => this.#exchange.warn('proof', { gatewayID, reason: String(error) }, text));
    connection.socket.on('close', () => void watching.then((stop) => stop()).catch(() => undefined));
  }

  #tickLater(): void {
    this.#cancelTick = this.#needs.clock.after(tickEveryMs, () => {
      for (const connection of this.#connections.values())
        this.#boundary.guard(connection.socket, () => connection.tick())();
      this.#tickLater();
    });
  }
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

function rejectUpgrade(socket: Duplex, reason: string): void {
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

/** The header becomes part of an address that the station connects to. */
function isHost({ headersDistinct }: IncomingMessage): boolean {
  const [host, another] = headersDistinct['host'] ?? [];
  if (another !== undefined) return false;
  return host !== undefined && /^[\w.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i.test(host);
}
