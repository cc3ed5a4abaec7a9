import { RpcError } from '@hilltop/protobuf';

/** For what ends at a network server: what it does not have is ended already. Other failures are passed on. */
export async function ignoreNotFound(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof RpcError && error.code === 'NotFound')) throw error;
  }
}
