import { createHash } from 'node:crypto';
import { ApiError, type DeviceQueueItem, type Reason as ErrorReason, mostQueuedBytes } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { DeviceContexts } from '../events/device-context.ts';
import { buildEvent } from '../events/event.ts';
import type { EventRecorder } from '../events/recorder.ts';
import type { TopicTemplate } from '../integrations/topic-template.ts';
import type { Metrics } from '../metrics.ts';
import { createAcceptedCommands, type Resendable } from './accepted-commands.ts';
import type { Reason } from './reasons.ts';

export interface CommandsDependencies {
  clock: Clock;
  database: Database;
  devices: DeviceContexts;
  recorder: EventRecorder;
  /**
   * Adds a downlink to the queue of its device, together with what `beside` writes.
   * Every refusal is an ApiError.
   */
  enqueue: (item: DeviceQueueItem, from: { origin: 'MQTT' }, beside?: () => Promise<void>) => Promise<unknown>;
  metrics: Pick<Metrics, 'count'>;
  log: Logger;
}

/** A message on a command topic. */
export interface DownlinkCommand {
  applicationID: number;
  devEUI: string;
  payload: Uint8Array;
  /**
   * How the client identifies the message when it resends it; undefined with quality of service 0. `isDuplicate` is its
   * DUP flag, `forMs` how long the client may resend it.
   */
  resendable: { sender: string; messageID: number; isDuplicate: boolean; forMs: number } | undefined;
}

/**
 * Enqueues a downlink that a program published. Resolves when the downlink is on disk, or with the reason for a
 * permanent refusal, which is also counted and logged. Rejects only when the program should resend the message.
 */
export type AcceptCommand = (command: DownlinkCommand) => Promise<Reason | undefined>;

const largestPayloadBytes = 4096;
/** A broker delivers a message twice when two of our subscriptions match its topic. */
const echoMs = 100;
const largestEchoCache = 20_000;

/** The result of a command, as counted by the metric `commands`. */
type Outcome = Lowercase<ErrorReason> | 'enqueued' | 'malformed' | 'too_large' | 'not_found' | 'codec';

/** The reason code for clients of MQTT 5 when a command is refused; every other outcome is `not_accepted`. */
const reasonOf: Partial<Record<Outcome, Reason>> = {
  malformed: 'payload_format',
  too_large: 'payload_format',
  not_found: 'not_authorized',
  queue_full: 'queue_full',
};

/** The application and device of a command topic; undefined for all other topics. */
export function readCommandTopic(template: TopicTemplate, topic: string) {
  const { ApplicationID, DevEUI, CommandType = 'down' } = template.read(topic) ?? {};
  if (!ApplicationID || !DevEUI || CommandType !== 'down') return undefined;
  return { applicationID: Number(ApplicationID), devEUI: DevEUI };
}

export function createCommands({
  clock,
  database,
  devices,
  recorder,
  enqueue,
  metrics,
  log,
}: CommandsDependencies): AcceptCommand {
  const recent = createEchoCache(() => clock.monotonicMs());
  const accepted = createAcceptedCommands({ database, clock });

  /** Records an error event of the device when its codec cannot encode the command. */
  async function recordCodecError(devEUI: string, error: ApiError): Promise<'codec' | 'not_found'> {
    const device = await devices.of(devEUI);
    if (!device) return 'not_found';
    const at = clock.now();
    const event = buildEvent('error', device, at, { type: 'DOWNLINK_CODEC', error: error.message });
    const happening = { about: `command for ${devEUI}`, devEUI, at, events: [event] };
    await database.transaction(() => recorder.record(happening).write());
    return 'codec';
  }

  async function enqueueCommand(command: DownlinkCommand, message: Resendable | undefined): Promise<Outcome> {
    const { applicationID, devEUI, payload } = command;
    if (payload.length > largestPayloadBytes) return 'too_large';
    const item = readCommand(payload, devEUI);
    if (!item) return 'malformed';
    const device = await devices.of(devEUI);
    if (device?.applicationID !== applicationID) return 'not_found';
    try {
      await enqueue(item, { origin: 'MQTT' }, message && (() => accepted.store(message)));
      return 'enqueued';
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 'Unavailable') throw error;
      if (error.reason === 'NOT_ENCODED') return recordCodecError(devEUI, error);
      return error.reason.toLowerCase() as Lowercase<ErrorReason>;
    }
  }

  return async (command) => {
    const { applicationID, devEUI, payload, resendable } = command;
    const hash = createHash('sha256').update(payload).digest('base64');
    const content = `${applicationID} ${devEUI} ${hash}`;
    const message = resendable && { ...resendable, content };
    const echo = recent.get(content);
    if (echo || (message?.isDuplicate && (await accepted.has(message)))) {
      metrics.count('commands', { result: 'twice' });
      return echo?.reason;
    }
    recent.set(content, undefined);
    try {
      const result = await enqueueCommand(command, message);
      metrics.count('commands', { result });
      if (result === 'enqueued') return undefined;
      log.info({ applicationID, devEUI, result }, 'a command was not enqueued');
      const reason = reasonOf[result] ?? 'not_accepted';
      recent.set(content, reason);
      return reason;
    } catch (error) {
      recent.delete(content);
      metrics.count('commands', { result: 'failed' });
      throw error;
    }
  };
}

/** Undefined when the payload is not a command. Ids in it are ignored, but a numeric applicationID makes it invalid. */
function readCommand(payload: Uint8Array, devEUI: string): DeviceQueueItem | undefined {
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    return undefined;
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const { fPort, data, object, confirmed = false, applicationID = '' } = given as Record<string, unknown>;
  if (typeof fPort !== 'number' || !Number.isInteger(fPort) || fPort < 1 || fPort > 224) return undefined;
  if (typeof confirmed !== 'boolean' || typeof applicationID !== 'string') return undefined;
  const hasObject = object !== undefined && object !== null;
  if (!hasObject && data !== undefined && data !== null && !isPayload(data)) return undefined;
  const jsonObject = hasObject ? JSON.stringify(object) : '';
  return { devEUI, fPort, confirmed, fCnt: 0, data: hasObject ? null : ((data as string) ?? null), jsonObject };
}

function isPayload(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    return Uint8Array.fromBase64(text).length <= mostQueuedBytes;
  } catch {
    return false;
  }
}

/** The messages of the last 100 ms, each with the reason for which it was refused. */
function createEchoCache(nowMs: () => number) {
  const cache = new LRUCache<string, { reason: Reason | undefined; untilMs: number }>({ max: largestEchoCache });
  return {
    get: (content: string) => {
      const echo = cache.get(content);
      return echo && echo.untilMs > nowMs() ? echo : undefined;
    },
    set: (content: string, reason: Reason | undefined) =>
      void cache.set(content, { reason, untilMs: nowMs() + echoMs }),
    delete: (content: string) => void cache.delete(content),
  };
}
