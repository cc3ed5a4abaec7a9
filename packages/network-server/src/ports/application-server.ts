import type { as } from '@hilltop/protobuf';
import type { Effect } from '../state/effect.ts';

type Callbacks = Omit<as.ApplicationServerService, 'reEncryptDeviceQueueItems'>;
type ReEncrypt = as.ApplicationServerService['reEncryptDeviceQueueItems'];

/**
 * The `as` service as the embedded network server calls it. Each callback decides and returns its effect without
 * writing anything, because a commit that lost a race is decided again. An `RpcError` refuses this one message; any
 * other error means "not now" and leaves the uplink in the journal for the next start.
 */
export type ApplicationServer = {
  [Method in keyof Callbacks]: (request: Parameters<Callbacks[Method]>[0]) => Promise<Effect>;
} & {
  /** `move`: the items move to another session, of which the application learns later. */
  reEncryptDeviceQueueItems(request: Parameters<ReEncrypt>[0], move?: SessionMove): ReturnType<ReEncrypt>;
};

/** The activations that queued items move between; `from` is null when the application already has it. */
export interface SessionMove {
  from: as.DeviceActivationContext | null;
  to: as.DeviceActivationContext;
}
