import { ApiError, alreadyExists, inUse, type Operation, passedOn, protoName, refusal } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { Collision } from '../database/collision.ts';
import { isDiskFull, isLocked } from '../database/storage-failure.ts';
import { Unreachable } from '../database/unreachable.ts';
import { Violation } from '../database/violation.ts';

export { RetryLater } from '../retry-later.ts';

/** The error for the caller. Only errors that were meant for callers keep their text; the others become `Internal`. */
export function toApiError(error: unknown, operation?: Operation): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof RpcError) return passedOn(error);
  if (error instanceof Collision) return refusal('COLLISION');
  if (isDiskFull(error)) return refusal('DISK_FULL');
  if (error instanceof Unreachable || isLocked(error)) return refusal('DATABASE_BUSY');
  if (error instanceof Violation) return ofViolation(error, operation);
  return refusal('INTERNAL');
}

function ofViolation({ kind, columns }: Violation, operation: Operation | undefined): ApiError {
  const resource = nameOf(operation);
  if (kind === 'unique') return alreadyExists(resource, fieldOf(operation, columns.at(-1), resource));
  if (kind === 'missing') return refusal('REFERENCE_GONE');
  return inUse(resource, 'other records');
}

/** The resource in a sentence: `service-profile` for `serviceProfile.create`. */
function nameOf(operation: Operation | undefined): string {
  const [resource = 'record'] = operation?.key.split('.') ?? [];
  return resource.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The field of the request that sets a column, and its name in a sentence about the resource. */
function fieldOf(operation: Operation | undefined, column: string | undefined, resource: string) {
  for (const [member, { message }] of Object.entries(operation?.request.fields ?? {})) {
    for (const [name, field] of Object.entries(message?.fields ?? {})) {
      const { label } = field.facts;
      if (protoName(name, field) !== column || label === undefined) continue;
      const bare = label.toLowerCase().startsWith(`${resource} `) ? label.slice(resource.length + 1) : label;
      return {
        field: `${member}.${name}`,
        called: /^[A-Z]{2}/.test(bare) ? bare : bare[0]!.toLowerCase() + bare.slice(1),
      };
    }
  }
  return undefined;
}
