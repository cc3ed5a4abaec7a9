import type { as } from '@hilltop/protobuf';

/**
 * What the application side wants written together with the session change that caused it, and published afterwards.
 * The network server passes it to `state.commit` unread; `about` only names it in logs.
 */
export interface Effect {
  readonly about: string;
}

type Callbacks = Omit<as.ApplicationServerService, 'reEncryptDeviceQueueItems'>;
type ReEncrypt = as.ApplicationServerService['reEncryptDeviceQueueItems'];

/**
 * The `as` service as the embedded network server calls it: each callback decides and answers with its effect, having
 * written nothing yet, because a unit that lost its race is decided again. An `RpcError` refuses this one message; any
 * other error means "not now" and leaves the uplink in the journal for the next start.
 */
export type ApplicationServer = {
  [Method in keyof Callbacks]: (request: Parameters<Callbacks[Method]>[0]) => Promise<Effect>;
} & {
  /** `next`: the items move to a session of which the application is only told afterwards. */
  reEncryptDeviceQueueItems(
    request: Parameters<ReEncrypt>[0],
    next?: as.DeviceActivationContext,
  ): ReturnType<ReEncrypt>;
};
