import assert from 'node:assert/strict';
import { CallError } from './client.ts';

/** Expects a call to be refused with this code. */
export async function refused(code: number, call: Promise<unknown>): Promise<CallError> {
  let refusal: unknown;
  await assert.rejects(call, (error: unknown) => {
    refusal = error;
    return error instanceof CallError && error.code === code;
  });
  return refusal as CallError;
}
