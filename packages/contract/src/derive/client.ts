/**
 * The API client for browsers. It builds calls from the service definition documents that the server publishes, so it
 * works with any server of this API. It imports only types of the contract.
 */
import type { FieldViolation } from '../errors.ts';
import type { InputOf, ResponseOf } from '../operation.ts';
import type { Operations } from '../operations.ts';

export { casesFor, decide, valueAt } from '../access.ts';

/** Why a call failed. Without a response of the server, `code` is 14 and `status` 0. */
export class ApiFailure extends Error {
  /** Code of the API, such as 5 for not found or 16 for no valid session. */
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  readonly fieldViolations: readonly FieldViolation[];
  /** A stable name of the reason, such as `LAST_ADMIN`, with its parameters; empty from an older server. */
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;

  constructor(message: string, code: number, status: number, details: unknown = []) {
    super(message);
    this.name = 'ApiFailure';
    this.code = code;
    this.status = status;
    this.fieldViolations = violationsIn(details);
    const { reason, metadata } = infoIn(details);
    this.reason = reason;
    this.metadata = metadata;
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface Call<O> {
  (request?: InputOf<O>, options?: CallOptions): Promise<ResponseOf<O>>;
  /** The path with its query, for requests without fetch, such as websockets. */
  path(request?: InputOf<O>): Promise<string>;
  /** Whether the server has this call: older servers lack our own calls. */
  isOffered(): Promise<boolean>;
  /** The values of a parameter that the server documents; none when it does not know the parameter. */
  choices(parameter: string): Promise<readonly string[]>;
  /** Whether the server documents the parameter. */
  accepts(parameter: string): Promise<boolean>;
}

type Calls = { readonly [R in keyof Operations]: { readonly [V in keyof Operations[R]]: Call<Operations[R][V]> } };

export type Client = Calls & {
  /** Fetches the documents of these resources before their first call. Never rejects: after a failure, that call fetches them. */
  preload(...resources: (keyof Operations)[]): Promise<void>;
};

export interface ClientSettings {
  readonly fetch: typeof globalThis.fetch;
  /** Origin of the server without a slash at the end; empty for the page's own. */
  readonly baseURL: string;
  readonly token: () => string | null;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'body';
  readonly enum?: readonly string[];
  /** Of a list. */
  readonly items?: Pick<Parameter, 'enum'>;
}

interface Definition {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

interface PathItem {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
}

type Json = Record<string, unknown>;

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

/** Both spellings of a name are equal without underscores and case: `dev_eui` is `devEUI`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function valueOf(request: unknown, name: string): unknown {
  let value = request;
  for (const part of name.split('.')) {
    if (!isJson(value)) return undefined;
    const key = Object.keys(value).find((one) => plain(one) === plain(part));
    value = key === undefined ? undefined : value[key];
  }
  return value;
}

/** A path or query value as text; undefined when there is none. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function pathOf({ path, parameters }: Definition, request: unknown): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = textOf(valueOf(request, name));
    if (value === undefined || value === '') throw new ApiFailure(`The call needs ${name}.`, 3, 0);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const { name } of parameters.filter((one) => one.in === 'query')) {
    const value = valueOf(request, name);
    for (const one of Array.isArray(value) ? value : [value]) {
      const text = textOf(one);
      if (text !== undefined) query.append(name, text);
    }
  }
  appendMaps(query, request, parameters);
  return query.size > 0 ? `${filled}?${query}` : filled;
}

/** Maps are not in the documents, yet servers read them from the query: `tags[site]=north`. */
function appendMaps(query: URLSearchParams, request: unknown, parameters: readonly Parameter[]): void {
  if (!isJson(request) || parameters.some((one) => one.in === 'body')) return;
  for (const [name, value] of Object.entries(request)) {
    if (!isJson(value) || Array.isArray(value)) continue;
    for (const [key, one] of Object.entries(value)) query.append(`${name}[${key}]`, textOf(one) ?? '');
  }
}

function violationsIn(details: unknown): FieldViolation[] {
  return jsonIn(details).flatMap(({ fieldViolations }) =>
    Array.isArray(fieldViolations) ? (fieldViolations as FieldViolation[]) : [],
  );
}

function infoIn(details: unknown): Pick<ApiFailure, 'reason' | 'metadata'> {
  const info = jsonIn(details).find(({ domain }) => domain === 'hilltop');
  return { reason: '', metadata: {}, ...info };
}

function jsonIn(list: unknown): Json[] {
  return Array.isArray(list) ? list.filter(isJson) : [];
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => null);
  if (!isJson(body)) return new ApiFailure(response.statusText || `HTTP status ${response.status}`, 2, response.status);
  const message = textOf(body['message']) ?? textOf(body['error']) ?? response.statusText;
  return new ApiFailure(message, Number(body['code'] ?? 2), response.status, body['details']);
}

/** Older servers have no documents of our own resources. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ApiFailure) || error.status !== 404) throw error;
}

/** The response to a request; every failure is an ApiFailure. */
async function ask(fetch: ClientSettings['fetch'], url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    const raw = (cause as Error).message;
    throw new ApiFailure(`The server cannot be reached. Check the connection and try again. (${raw})`, 14, 0);
  }
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** The operations of a document by their names. */
function definitionsOf(paths: Record<string, Record<string, PathItem>>): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { operationId, parameters = [] }] of Object.entries(methods)) {
      definitions.set(operationId, { method: method.toUpperCase(), path, parameters });
    }
  }
  return definitions;
}

/** Creates a client. Each document is fetched once, when a resource is first used. */
export function loadClient({ fetch, baseURL, token }: ClientSettings): Client {
  const documents = new Map<string, Promise<ReadonlyMap<string, Definition>>>();

  async function fetchDocument(resource: string): Promise<ReadonlyMap<string, Definition>> {
    const response = await ask(fetch, `${baseURL}/swagger/${resource}.swagger.json`, {}).catch(unlessMissing);
    if (!response) return new Map();
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, PathItem>> };
    return definitionsOf(paths);
  }

  function documentOf(resource: string): Promise<ReadonlyMap<string, Definition>> {
    let document = documents.get(resource);
    if (!document) {
      document = fetchDocument(resource);
      documents.set(resource, document);
      document.catch(() => documents.delete(resource));
    }
    return document;
  }

  async function offered(resource: string, verb: string): Promise<Definition | undefined> {
    return (await documentOf(resource)).get(verb.charAt(0).toUpperCase() + verb.slice(1));
  }

  async function definitionOf(resource: string, verb: string): Promise<Definition> {
    const definition = await offered(resource, verb);
    if (!definition) throw new ApiFailure(`This server does not offer ${resource}.${verb}.`, 12, 0);
    return definition;
  }

  async function parameterOf(resource: string, verb: string, parameter: string): Promise<Parameter | undefined> {
    const { parameters } = await definitionOf(resource, verb);
    return parameters.find(({ name }) => name === parameter);
  }

  async function call(resource: string, verb: string, request: unknown, { signal }: CallOptions): Promise<unknown> {
    const definition = await definitionOf(resource, verb);
    const bearer = token();
    const hasBody = definition.parameters.some((one) => one.in === 'body');
    const response = await ask(fetch, baseURL + pathOf(definition, request), {
      method: definition.method,
      headers: {
        ...(bearer !== null && { 'Grpc-Metadata-Authorization': `Bearer ${bearer}` }),
        ...(hasBody && { 'Content-Type': 'application/json' }),
      },
      ...(hasBody && { body: JSON.stringify(request) }),
      ...(signal && { signal }),
    });
    return response.json();
  }

  function callsOf(resource: string): unknown {
    return new Proxy(
      {},
      {
        get: (_, verb) =>
          Object.assign(
            (request: unknown = {}, options: CallOptions = {}) => call(resource, String(verb), request, options),
            {
              path: async (request: unknown = {}) => pathOf(await definitionOf(resource, String(verb)), request),
              isOffered: async () => (await offered(resource, String(verb))) !== undefined,
              choices: async (parameter: string) => {
                const found = await parameterOf(resource, String(verb), parameter);
                return found?.enum ?? found?.items?.enum ?? [];
              },
              accepts: async (parameter: string) =>
                (await parameterOf(resource, String(verb), parameter)) !== undefined,
            },
          ),
      },
    );
  }

  const preload = async (...resources: string[]): Promise<void> => {
    await Promise.all(resources.map((resource) => documentOf(resource).catch(() => undefined)));
  };
  return new Proxy({}, { get: (_, name) => (name === 'preload' ? preload : callsOf(String(name))) }) as Client;
}
