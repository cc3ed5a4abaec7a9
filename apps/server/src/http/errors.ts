import {
  ApiError,
  alreadyExists,
  failedPrecondition,
  internal,
  type Operation,
  protoName,
  statusOfCode,
  unavailable,
} from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import type { FastifyError } from 'fastify';
import { Collision } from '../database/collision.ts';
import { Unreachable } from '../database/unreachable.ts';
import { Violation } from '../database/violation.ts';

/** A refusal that says when to come again, as the `Retry-After` header. */
export class RetryLater extends ApiError {
  readonly seconds: number;

  constructor(seconds: number, what = 'attempts') {
    super('ResourceExhausted', `Too many ${what}. Try again in ${seconds} s.`);
    this.seconds = seconds;
  }
}

/** What the caller is told about any error. Only what was meant for them is passed on; the rest is `Internal`. */
export function toApiError(error: unknown, operation?: Operation): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RpcError) return new ApiError(statusOfCode(error.number), error.message);
  if (error instanceof Collision)
    return new ApiError('Aborted', 'Others keep changing the same at this moment. Try again.');
  if (error instanceof Unreachable)
    return unavailable('The database does not answer or is too busy. Try again in a moment.');
  if (error instanceof Violation) return ofViolation(error, operation);
  const code = (error as Partial<FastifyError> | null)?.code;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('InvalidArgument', 'The request is larger than 1 MB.');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError('InvalidArgument', 'The request does not have the length it announced.');
  return internal();
}

function ofViolation({ kind, columns }: Violation, operation: Operation | undefined): ApiError {
  const resource = nameOf(operation);
  if (kind === 'unique') return alreadyExists(resource, fieldOf(operation, columns.at(-1), resource));
  if (kind === 'missing') return new ApiError('NotFound', 'Something this refers to is not there any more. Try again.');
  return failedPrecondition(`The ${resource} is in use by other records. Remove or change those first.`);
}

/** `serviceProfile.create` is about a `service-profile`. */
function nameOf(operation: Operation | undefined): string {
  const [resource = 'record'] = operation?.key.split('.') ?? [];
  return resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The field of the request that a column comes from, and its name in a sentence about the resource. */
function fieldOf(operation: Operation | undefined, column: string | undefined, resource: string) {
  for (const [place, { message }] of Object.entries(operation?.request.fields ?? {})) {
    for (const [name, field] of Object.entries(message?.fields ?? {})) {
      const { label } = field.facts;
      if (protoName(name, field) !== column || label === undefined) continue;
      const bare = label.toLowerCase().startsWith(`${resource} `) ? label.slice(resource.length + 1) : label;
      return {
        field: `${place}.${name}`,
        called: /^[A-Z]{2}/.test(bare) ? bare : bare[0]!.toLowerCase() + bare.slice(1),
      };
    }
  }
  return undefined;
}
