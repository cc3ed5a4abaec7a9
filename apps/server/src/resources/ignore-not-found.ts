import { RpcError } from '@hilltop/protobuf';

/** For removals at a network server: a missing record is removed already. Other failures are passed on. */
export async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'NotFound')) throw error;
  }
}
