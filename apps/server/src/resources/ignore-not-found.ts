import { RpcError } from '@hilltop/protobuf';

/** For deletes at a network server: what it does not have need not be deleted there. */
export async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'NotFound')) throw error;
  }
}
