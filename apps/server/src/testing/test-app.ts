import { type InputOf, type Operation, pathParameters, type ResponseOf, valueAt } from '@hilltop/contract';
import { startServer } from '../compose.ts';
import { settings } from '../config.ts';
import type { DatabaseKind } from '../database/database.ts';
import type { Needs } from '../needs.ts';
import { createTestPlace } from './databases.ts';

/** A refusal as a caller sees it. */
export class CallError extends Error {
  readonly code: number;
  readonly httpStatus: number;

  constructor(httpStatus: number, body: { code: number; message: string }) {
    super(`${body.message} (code: ${body.code})`);
    this.httpStatus = httpStatus;
    this.code = body.code;
  }
}

/** A whole server on random ports with a database of its own, spoken to over HTTP. */
export interface TestApp extends AsyncDisposable {
  url: string;
  /** Where gateways send to, on 127.0.0.1. */
  udpPort: number;
  needs: Needs;
  /** The token of the first administrator. */
  adminToken: string;
  /** Calls as the administrator unless another token, or null for none, is given. Throws CallError. */
  call: <O extends Operation>(operation: O, input: InputOf<O>, token?: string | null) => Promise<ResponseOf<O>>;
  /** The raw answer to any request. */
  fetch: (path: string, init?: RequestInit) => Promise<Response>;
  signIn: (email: string, password: string) => Promise<string>;
}

export const adminEmail = 'admin@hilltop.local';
export const adminPassword = 'test password';

/** `environment` changes settings by their keys, `replace` puts other things behind the needs. */
export async function startTestApp(
  kind: DatabaseKind,
  environment: Record<string, string> = {},
  replace: Partial<Needs> = {},
): Promise<TestApp> {
  const place = await createTestPlace(kind);
  const config = settings.parse({
    http: '127.0.0.1:0',
    udp: '127.0.0.1:0',
    data: place.dataDir,
    databaseURL: place.databaseURL,
    adminPassword,
    logLevel: 'silent',
    ...environment,
  });
  const server = await startServer(config, replace);
  const url = `http://127.0.0.1:${server.httpPort}`;

  async function call<O extends Operation>(
    operation: O,
    input: InputOf<O>,
    token: string | null,
  ): Promise<ResponseOf<O>> {
    const response = await fetch(url + addressOf(operation, input), {
      method: operation.method,
      headers: token === null ? {} : { 'Grpc-Metadata-Authorization': `Bearer ${token}` },
      ...(['POST', 'PUT'].includes(operation.method) && { body: JSON.stringify(input) }),
    });
    const body: unknown = await response.json();
    if (!response.ok) throw new CallError(response.status, body as { code: number; message: string });
    return body as ResponseOf<O>;
  }

  async function signIn(email: string, password: string): Promise<string> {
    const response = await fetch(`${url}/api/internal/login`, {
      method: 'POST',
      body: JSON.stringify({ email, password }),
    });
    const body = (await response.json()) as { jwt: string; code: number; message: string };
    if (!response.ok) throw new CallError(response.status, body);
    return body.jwt;
  }

  const adminToken = await signIn(adminEmail, adminPassword);
  return {
    url,
    udpPort: server.udpPort ?? 0,
    needs: server.needs,
    adminToken,
    call: (operation, input, token = adminToken) => call(operation, input, token),
    fetch: (path, init) => fetch(url + path, init),
    signIn,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** The path with its parameters filled, and the rest as query where there is no body. */
function addressOf(operation: Operation, input: object): string {
  const parameters = pathParameters(operation);
  let path = operation.path;
  for (const parameter of parameters)
    path = path.replace(
      `{${parameter.name}}`,
      encodeURIComponent((valueAt(input, parameter.path.join('.')) as string | undefined) ?? ''),
    );
  if (operation.method === 'POST' || operation.method === 'PUT') return path;
  const inPath = new Set(parameters.map((parameter) => parameter.path.join('.')));
  const query = Object.entries(input).filter(([name, value]) => !inPath.has(name) && value !== undefined);
  return query.length === 0
    ? path
    : `${path}?${new URLSearchParams(query.map(([name, value]) => [name, String(value)]))}`;
}
