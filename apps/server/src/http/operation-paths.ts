import { type Operation, routePath } from '@hilltop/contract';

/** The operation of an address, with the decoded values of its path parameters in order. */
export interface AddressedOperation {
  readonly operation: Operation;
  readonly values: readonly string[];
}

interface Segment {
  readonly next: Map<string, Segment>;
  parameter: Segment | undefined;
  /** The operations that end here, by method. */
  readonly operations: Map<string, Operation>;
}

const segment = (): Segment => ({ next: new Map(), parameter: undefined, operations: new Map() });

/** Below this path, `OperationPaths` routes. */
export const operationsBelow = '/api/';

/**
 * Finds operations by method and address. With a route of Fastify for each of them, and another for its HEAD requests, they
 * took a tenth of a start.
 */
export class OperationPaths {
  readonly #first = segment();

  constructor(operations: Iterable<Operation>) {
    for (const operation of operations) {
      let at = this.#first;
      for (const part of routePath(operation).slice(operationsBelow.length).split('/'))
        at = part.startsWith(':') ? (at.parameter ??= segment()) : nextOf(at, part);
      at.operations.set(operation.method, operation);
    }
  }

  /** Undefined when no operation has this address, or it is malformed. HEAD requests are for operations by GET. */
  find(method: string, url: string): AddressedOperation | undefined {
    if (!url.startsWith(operationsBelow)) return undefined;
    const end = url.search(/[?#]/);
    const parts = url.slice(operationsBelow.length, end < 0 ? undefined : end).split('/');
    const values: string[] = [];
    try {
      const decoded = url.includes('%') ? parts.map(decodeURIComponent) : parts;
      const operation = search(this.#first, decoded, { at: 0, method: method === 'HEAD' ? 'GET' : method, values });
      return operation && { operation, values };
    } catch {
      return undefined;
    }
  }
}

function nextOf({ next }: Segment, part: string): Segment {
  const known = next.get(part) ?? segment();
  next.set(part, known);
  return known;
}

/** Fixed segments come before parameters. `values` gets those of the parameters on the way. */
function search(
  from: Segment,
  parts: readonly string[],
  { at, method, values }: { at: number; method: string; values: string[] },
): Operation | undefined {
  const part = parts[at];
  if (part === undefined) return from.operations.get(method);
  const fixed = from.next.get(part);
  const found = fixed && search(fixed, parts, { at: at + 1, method, values });
  if (found || !from.parameter) return found;
  values.push(part);
  const other = search(from.parameter, parts, { at: at + 1, method, values });
  if (!other) values.pop();
  return other;
}
