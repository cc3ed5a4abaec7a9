import type { ApiError, DeliveryAttempt, InstanceFigures } from '@hilltop/contract';
import type { DeviceEvent } from '../event-log/event.ts';
import type { LoggedFrame, PackedFrame } from './frames.ts';

/**
 * What parts of the server tell each other once it is on disk: loss is harmless, listeners re-read. One topic has many
 * keys (a device, a session), and a listener hears only its key. What leaves the process is written by `messages.ts`.
 */
export type BusTopics = {
  /** Keyed by DevEUI: an event that was just stored in the device's history. */
  'device-event': DeviceEvent;
  /** Keyed by user id: a session ended, or what the user may do changed. */
  'access-changed': { userID: string };
  /** Keyed by '', before `access-changed`: callers that are kept in memory are to be looked up again. */
  'callers-changed': Record<string, never>;
  /** Keyed by '': a record of an embedded network server was written or removed. */
  'record-changed': RecordChange;
  /** Keyed by '': an embedded network server was added or removed, or its radio settings changed. */
  'network-server-changed': { id: number };
  /** Keyed by '': some device was made, changed by the API or removed. */
  'devices-changed': Record<string, never>;
  /** Keyed by '': an integration came, changed or went; of the whole installation when there is no application. */
  'integration-changed': { applicationID: number | undefined };
  /** Keyed by the number of an integration: what was just written into its delivery log, the oldest first. */
  'delivery-lines': readonly DeliveryAttempt[];
  /** Keyed by network server, log and what it is the log of: what was just added to a frame log of an instance. */
  frame: LoggedFrame;
  /** Keyed by '': an instance has opened or closed the path to a gateway. */
  'gateway-path': GatewayPathOf;
  /** Keyed by instance: what a gateway says of a downlink that came from there, as `gw.DownlinkTXAck`. */
  'downlink-answer': { ack: Uint8Array };
};

/** Who asks, and when: milliseconds of a clock of that instance that is never set. */
interface BusRequest {
  from: string;
  at: number;
}

/** Who has which way to a gateway; `path` is undefined once there is none. */
export interface GatewayPathOf {
  instanceID: string;
  gatewayID: string;
  path?: { link: string; isProven: boolean; source: string } | undefined;
}

export type BusTopic = keyof BusTopics;

/** Topics by which instances learn that what they keep in memory has changed. */
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

/** What instances ask each other: values of plain objects, arrays, bytes and dates. */
export type BusQuestions = {
  /** Answered by the bus itself, once it has handed over all that arrived before the question. */
  'changes-processed': { question: Record<string, never>; answer: Record<string, never> };
  /** Whether it is there, and for how long: milliseconds. */
  alive: { question: Record<string, never>; answer: { forMs: number } };
  /** An operation of `delivery`, for the instance that delivers: its answer, or what an error is made of again. */
  'delivery-call': { question: { verb: string; request: object }; answer: { told: object } | { refused: Refused } };
  /** How much it does, and where it listens, which older versions leave out. */
  'instance-figures': {
    question: Record<string, never>;
    answer: { instanceID: string; figures: InstanceFigures; listens?: string[] };
  };
  /** What it keeps in a frame log, named as in `frame`: the oldest first. */
  'kept-frames': { question: { log: string }; answer: PackedFrame[] };
  /** Which paths to gateways it has. */
  'gateway-paths': { question: BusRequest; answer: { instanceID: string; paths: GatewayPathOf[] } };
  /** Whether the gateway was given a `gw.DownlinkFrame`. What it says of it goes to the instance it came from. */
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
  /** Hears what is published from the moment the promise resolves; the function it gives ends it. */
  subscribe<T extends BusTopic>(topic: T, key: string, listener: Listener<T>): Promise<Stop>;
  /** The same of what other instances publish: for whoever does at once what follows from our own. */
  subscribeToPeers<T extends BusTopic>(topic: T, key: string, listener: Listener<T>): Promise<Stop>;
  /** One handler for each question; when it throws there is no answer. */
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
  /** What the other instances answered in time. Never rejects. */
  askPeers<Q extends BusQuestion>(question: Q, asked: BusQuestionOf<Q>, withinMs: number): Promise<BusAnswer<Q>[]>;
  close(): Promise<void>;
};
