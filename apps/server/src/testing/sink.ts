import { createServer, type IncomingHttpHeaders, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DeliveryJob } from '../integrations/integration.ts';
import type { HttpResponse, OutgoingRequest } from '../outgoing/outgoing-request.ts';

/** A received request. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Reply {
  readonly status: number;
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Sink extends AsyncDisposable {
  /** In the order of arrival. */
  readonly received: Received[];
  /** The responses to the next requests; 200 when there are none. */
  reply: (request: Received) => Reply;
  /** Sends a request to this server, whatever its address is. */
  send(request: OutgoingRequest): Promise<HttpResponse>;
  /** The dependencies of an integration whose requests are sent to this server. */
  job<Config>(config: Config, around?: Partial<DeliveryJob<Config>>): DeliveryJob<Config>;
}

export const sinkTime = new Date('2023-03-01T10:15:32.000Z');

/** A web server that records requests and can replace any other. */
export async function startSink(): Promise<Sink> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(parts) };
      received.push(one);
      const { status, body = '', headers: more = {} } = sink.reply(one);
      response.writeHead(status, more).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;

  const send = ({ method, url, headers, body }: OutgoingRequest) =>
    new Promise<HttpResponse>((answered, failed) => {
      const { host, pathname, search } = new URL(url);
      const flat = ['Host', host, ...headers.flat(), 'Content-Length', String(Buffer.byteLength(body))];
      const options = { host: '127.0.0.1', port, path: `${pathname}${search}`, method, headers: flat, setHost: false };
      const request = startRequest(options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () => {
          const { statusCode = 0 } = response;
          answered({
            status: statusCode,
            headers: response.headers as HttpResponse['headers'],
            body: Buffer.concat(parts),
          });
        });
      });
      request.on('error', failed).end(body);
    });

  const sink: Sink = {
    received,
    reply: () => ({ status: 200 }),
    send,
    job: (config, around = {}) => {
      const done = new Set<string>();
      return {
        config,
        attempt: 1,
        replayID: undefined,
        now: () => sinkTime,
        send,
        once: async (part, act) => {
          if (done.has(part)) return;
          await act();
          done.add(part);
        },
        gatewayNames: async () => new Map([['b827ebfffe112233', 'roof']]),
        variables: async () => ({}),
        ...around,
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return sink;
}
