import type { BoundaryDependencies } from '../connections/boundary.ts';
import type { Quota } from '../connections/quota.ts';
import type { Metrics } from '../metrics.ts';
import type { CallDependencies } from './call.ts';
import type { Live } from './live.ts';
import type { OperationHandlers } from './operations.ts';
import type { ClientSettings } from './settings.ts';
import type { CallLines } from './write-call-line.ts';

/** `compose.ts` passes in what serves operations by gRPC, so that REST does not depend on it. */
export interface GrpcDependencies extends CallDependencies, BoundaryDependencies, Pick<CallLines, 'refusedCallLines'> {
  config: Pick<ClientSettings, 'trustProxy'>;
  metrics: BoundaryDependencies['metrics'] & Pick<Metrics, 'beginCall' | 'observeCall'>;
  handlers: OperationHandlers;
  live: Live;
  quotas: {
    /** Bytes of requests that have not arrived completely. */
    requestBytes: Quota;
    /** Open streams. */
    streams: Quota;
  };
}
