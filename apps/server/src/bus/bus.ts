import type { ApiError, DeliveryAttempt, InstanceFigures } from '@hilltop/contract';
import type { OrderedAirtime } from '@hilltop/network-server';
import type { DeviceEvent } from '../event-log/event.ts';
import type { LoggedFrame, PackedFrame } from './frames.ts';

/**
 * Messages between parts of the server. A topic has many keys (a device, a session), and a listener receives only
 * messages of its key. Messages can get lost; listeners then read the database again. `frame`, `gateway-path`,
 * `airtime-ordered` and `downlink-answer` are about values in memory: `peer-gateway-paths.ts` asks peers for paths again, lost frames and
 * answers stay lost. `messages.ts` serializes messages for peers.
 */
export type BusTopics = {
  /** Keyed by DevEUI: an event that was just stored in the device's history. */
  'device-event': DeviceEvent;
  /** Keyed by user id: a session ended, or the rights of the user changed. */
  'access-changed': { userID: string };
  /** Keyed by '', before `access-changed`: caches of callers are invalid. */
  'callers-changed': Record<string, never>;
  /** Keyed by '': a record of an embedded network server was written or removed. */
  'record-changed': RecordChange;
  /** Keyed by '': an embedded network server was added or removed, or its radio settings changed. */
  'network-server-changed': { id: number };
  /** Keyed by '': a device was created, changed by the API or removed. */
  'devices-changed': Record<string, never>;
  /** Keyed by '': an integration was created, changed or removed. Without an application, it is a global one; for organizations see `gatewaysOf`. */
  'integration-changed': { applicationID: number | undefined };
  /** Keyed by the number of an integration: new entries of its delivery log, the oldest first. */
  'delivery-lines': readonly DeliveryAttempt[];
  /** Keyed by network server, log and device or gateway: an instance added the frame to its frame log. */
  frame: LoggedFrame;
  /** Keyed by '': an instance opened or closed the path to a gateway. */
  'gateway-path': GatewayPathOf;
  /** Keyed by '': an instance ordered a gateway to send, or gave airtime back. */
  'airtime-ordered': OrderedAirtime;
  /** Keyed by instance: the answer of a gateway to a downlink of that instance, as `gw.DownlinkTXAck`. */
  'downlink-answer': { ack: Uint8Array };
};

/** The asking instance, and the time of the question in milliseconds of its monotonic clock. */
interface BusRequest {
  from: string;
  at: number;
}

/** The path of an instance to a gateway; `path` is undefined when the gateway is not connected to the instance. */
export interface GatewayPathOf {
  instanceID: string;
  gatewayID: string;
  path?: { link: string; isProven: boolean; source: string } | undefined;
}

export type BusTopic = keyof BusTopics;

/** Topics that tell peers that their caches are invalid. */
export const changeTopics: ReadonlySet<BusTopic> = new Set<BusTopic>([
  'access-changed',
  'callers-changed',
  'record-changed',
  'network-server-changed',
  'devices-changed',
  'integration-changed',
]);

export interface RecordChange {
  networkServerID: number;
  kind: string;
  id: string;
  isThere: boolean;
}

/** `told` is the name of `result` in earlier builds. */
type DeliveryAnswer =
  | { result: object; told?: undefined }
  | { told: object; result?: undefined }
  | { refused: Refused };

/** Questions between instances: plain objects, arrays, bytes and dates. */
export type BusQuestions = {
  /** The bus itself answers, after all listeners received the messages that arrived before the question. */
  'changes-processed': { question: Record<string, never>; answer: Record<string, never> };
  /** For how many milliseconds the instance is still considered live. */
  alive: { question: Record<string, never>; answer: { forMs: number } };
  /**
   * An operation of `delivery`, for the instance that delivers. The answer is the result or the fields of an
   * `ApiError`.
   */
  'delivery-call': { question: { verb: string; request: object }; answer: DeliveryAnswer };
  /** The load of the instance and its listening addresses, which older versions omit. */
  'instance-figures': {
    question: Record<string, never>;
    answer: { instanceID: string; figures: InstanceFigures; listens?: string[] };
  };
  /** The entries of the instance's frame log, named as in `frame`; the oldest first. */
  'stored-frames': { question: { log: string }; answer: PackedFrame[] };
  /** The same under its former name, which instances of 0.1 ask for and answer. */
  'kept-frames': { question: { log: string }; answer: PackedFrame[] };
  /** The paths of the instance to gateways. */
  'gateway-paths': { question: BusRequest; answer: { instanceID: string; paths: GatewayPathOf[] } };
  /**
   * Whether the instance sent the `gw.DownlinkFrame` to the gateway. The answer of the gateway goes to the asking
   * instance.
   */
  downlink: { question: BusRequest & { frame: Uint8Array }; answer: { isSent: boolean } };
};

export type BusQuestion = keyof BusQuestions;
export type BusQuestionOf<Q extends BusQuestion> = BusQuestions[Q]['question'];
export type BusAnswer<Q extends BusQuestion> = BusQuestions[Q]['answer'];

/** The fields of an `ApiError` that travel to another instance. */
type Refused = Pick<ApiError, 'reason' | 'metadata' | 'status' | 'fieldViolations'>;

type Listener<T extends BusTopic> = (payload: BusTopics[T]) => void;
type Stop = () => void;

export type Bus = {
  /** Returns at once. The failure of a listener is logged and affects neither the publisher nor other listeners. */
  publish<T extends BusTopic>(topic: T, key: string, payload: BusTopics[T]): void;
  /** How many changes (`changeTopics`) this instance has published. */
  changeCount(): number;
  /**
   * Resolves when every live instance has processed the changes that this instance published, or after half a second.
   * Undefined when it published none since `changeCount` was `before`. Never rejects.
   */
  confirmed(before: number): Promise<void> | undefined;
  /**
   * Calls `listener` with messages that are published after the promise resolves; the returned function unsubscribes.
   */
  subscribe<T extends BusTopic>(topic: T, key: string, listener: Listener<T>): Promise<Stop>;
  /** Delivers only messages of peers: for listeners that handle changes of this instance directly. */
  subscribeToPeers<T extends BusTopic>(topic: T, key: string, listener: Listener<T>): Promise<Stop>;
  /** Sets the one handler of a question. When it throws, the question gets no answer. */
  answer<Q extends BusQuestion>(
    question: Q,
    handler: (asked: BusQuestionOf<Q>) => BusAnswer<Q> | Promise<BusAnswer<Q>>,
  ): Stop;
  /** Undefined when the instance has ended or does not answer in time. Never rejects. */
  ask<Q extends BusQuestion>(
    instanceID: string,
    question: Q,
    asked: BusQuestionOf<Q>,
    withinMs: number,
  ): Promise<BusAnswer<Q> | undefined>;
  /** The answers of the peers that answer in time. Never rejects. */
  askPeers<Q extends BusQuestion>(question: Q, asked: BusQuestionOf<Q>, withinMs: number): Promise<BusAnswer<Q>[]>;
  close(): Promise<void>;
};
