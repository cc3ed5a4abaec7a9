import { ApiError, alreadyExists, failedPrecondition, internal, notFound, statusOfCode } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import type { FastifyError } from 'fastify';
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
export function toApiError(error: unknown, resource: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RpcError) return new ApiError(statusOfCode(error.number), error.message);
  if (error instanceof Violation) return ofViolation(error, resource);
  const code = (error as Partial<FastifyError> | null)?.code;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('InvalidArgument', 'The request is larger than 1 MB.');
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new ApiError('InvalidArgument', 'The request does not have the length it announced.');
  return internal();
}

function ofViolation({ kind }: Violation, resource: string): ApiError {
  if (kind === 'unique') return alreadyExists(resource);
  if (kind === 'missing') return notFound('such record to refer to');
  return failedPrecondition(`The ${resource} is in use by other records. Remove or change those first.`);
}
