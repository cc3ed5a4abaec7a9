import type { ApiError, DeliveryAttempt, InstanceFigures } from '@hilltop/contract';
import type { DeviceEvent } from '../event-log/event.ts';
import type { LoggedFrame, PackedFrame } from './frames.ts';

/**
 * Messages between parts of the server. Listeners make up for lost ones by reading again, except `frame`, `gateway-path`
 * and `downlink-answer`, which are about what is only in memory: `paths-elsewhere.ts` asks peers for paths again, lost
 * frames and answers stay lost. A topic has many keys (a device, a session), and a listener gets messages of its key
 * only. `messages.ts` serializes them for peers.
 */
export type BusTopics = {
  /** Keyed by DevEUI: an event that was just stored in the device's history. */
  'device-event': DeviceEvent;
  /** Keyed by user id: a session ended, or what the user may do changed. */
  'access-changed': { userID: string };
  /** Keyed by '', before `access-changed`: caches of callers are invalid. */
  'callers-changed': Record<string, never>;
  /** Keyed by '': a record of an embedded network server was written or removed. */
  'record-changed': RecordChange;
  /** Keyed by '': an embedded network server was added or removed, or its radio settings changed. */
  'network-server-changed': { id: number };
  /** Keyed by '': a device was created, changed by the API or removed. */
  'devices-changed': Record<string, never>;
  /** Keyed by '': an integration was created, changed or removed; without application one of the whole installation. */
  'integration-changed': { applicationID: number | undefined };
  /** Keyed by the number of an integration: what was just written into its delivery log, the oldest first. */
  'delivery-lines': readonly DeliveryAttempt[];
  /** Keyed by network server, log and its device or gateway: a frame that an instance added to its frame log. */
  frame: LoggedFrame;
  /** Keyed by '': an instance has opened or closed the path to a gateway. */
  'gateway-path': GatewayPathOf;
  /** Keyed by instance: the answer of a gateway to a downlink that came from there, as `gw.DownlinkTXAck`. */
  'downlink-answer': { ack: Uint8Array };
};

/** The asking instance, and when it asked: milliseconds of its monotonic clock. */
interface BusRequest {
  from: string;
  at: number;
}

/** The path of an instance to a gateway; `path` is undefined once there is none. */
export interface GatewayPathOf {
  instanceID: string;
  gatewayID: string;
  path?: { link: string; isProven: boolean; source: string } | undefined;
}

export type BusTopic = keyof BusTopics;

/** Topics by which peers learn that their caches are invalid. */
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

/** Questions between instances: values of plain objects, arrays, bytes and dates. */
export type BusQuestions = {
  /** Answered by the bus itself, after all listeners got the messages that arrived before the question. */
  'changes-processed': { question: Record<string, never>; answer: Record<string, never> };
  /** Whether it is live, and for how long: milliseconds. */
  alive: { question: Record<string, never>; answer: { forMs: number } };
  /** An operation of `delivery`, for the instance that delivers: its answer, or what an error is made of again. */
  'delivery-call': { question: { verb: string; request: object }; answer: { told: object } | { refused: Refused } };
  /** Its load, and where it listens, which older versions leave out. */
  'instance-figures': {
    question: Record<string, never>;
    answer: { instanceID: string; figures: InstanceFigures; listens?: string[] };
  };
  /** The frames of its frame log, named as in `frame`: the oldest first. */
  'kept-frames': { question: { log: string }; answer: PackedFrame[] };
  /** Which paths to gateways it has. */
  'gateway-paths': { question: BusRequest; answer: { instanceID: string; paths: GatewayPathOf[] } };
  /** Whether the `gw.DownlinkFrame` was sent to the gateway, whose answer goes to the instance the downlink came from. */
  downlink: { question: BusRequest & { frame: Uint8Array }; answer: { isSent: boolean } };
};

export type BusQuestion = keyof BusQuestions;
export type BusQuestionOf<Q extends BusQuestion> = BusQuestions[Q]['question'];
export type BusAnswer<Q extends BusQuestion> = BusQuestions[Q]['answer'];

/** An `ApiError` on its way to another instance. */
type Refused = Pick<ApiError, 'reason' | 'metadata' | 'status' | 'fieldViolations'>;

type Listener<T extends BusTopic> = (payload: BusTopics[T]) => void;
type Stop = () => void;

export type Bus = {
  /** Returns at once; a listener's failure is logged and reaches neither the publisher nor its neighbours. */
  publish<T extends BusTopic>(topic: T, key: string, payload: BusTopics[T]): void;
  /** How many changes (`changeTopics`) were published here so far. */
  changeCount(): number;
  /**
   * Resolves when every live instance has processed the changes that were published here, or after half a second. Undefined
   * when none was published since `changeCount` was `before`. Never rejects.
   */
  confirmed(before: number): Promise<void> | undefined;
  /** Calls `listener` with messages that are published after the promise resolves; the returned function ends it. */
  subscribe<T extends BusTopic>(topic: T, key: string, listener: Listener<T>): Promise<Stop>;
  /** Only messages of peers: for listeners that react to changes of this instance directly. */
  subscribeToPeers<T extends BusTopic>(topic: T, key: string, listener: Listener<T>): Promise<Stop>;
  /** One handler for each question; when it throws, the question gets no answer. */
  answer<Q extends BusQuestion>(
    question: Q,
    handler: (asked: BusQuestionOf<Q>) => BusAnswer<Q> | Promise<BusAnswer<Q>>,
  ): Stop;
  /** Undefined when that instance is gone or has not answered in time. Never rejects. */
  ask<Q extends BusQuestion>(
    instanceID: string,
    question: Q,
    asked: BusQuestionOf<Q>,
    withinMs: number,
  ): Promise<BusAnswer<Q> | undefined>;
  /** The answers of peers that came in time. Never rejects. */
  askPeers<Q extends BusQuestion>(question: Q, asked: BusQuestionOf<Q>, withinMs: number): Promise<BusAnswer<Q>[]>;
  close(): Promise<void>;
};
