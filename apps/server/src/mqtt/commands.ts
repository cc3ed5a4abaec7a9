import { createHash } from 'node:crypto';
import { ApiError, type DeviceQueueItem, mostQueuedBytes } from '@hilltop/contract';
import { buildEvent } from '../events/event.ts';
import type { Needs } from '../needs.ts';
import { createAcceptedCommands, type Resendable } from './accepted-commands.ts';
import type { TopicTemplate } from '../integrations/topic-template.ts';

type CommandsDependencies = Pick<Needs, 'clock' | 'database' | 'devices' | 'recorder' | 'enqueue' | 'metrics' | 'log'>;

/** A message on a command topic. */
export interface DownlinkCommand {
  applicationID: number;
  devEUI: string;
  payload: Uint8Array;
  /** By whom and under which packet identifier, if it may come again; whether it says that it has, and for how long. */
  again: { sender: string; messageID: number; isDuplicate: boolean; forMs: number } | undefined;
}

/**
 * Takes downlinks that programs publish. Resolves once what it said is on disk, or will never be: it is then counted
 * why. Rejects only when it should be sent again.
 */
export type TakeCommand = (command: DownlinkCommand) => Promise<void>;

const mostBytes = 4096;
const echoMs = 100;
const mostRemembered = 20_000;

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
}: CommandsDependencies): TakeCommand {
  const lately = createMemory(() => clock.monotonicMs());
  const taken = createAcceptedCommands({ database, clock });

  /** What was published is no command, or cannot become a downlink. */
  async function refuse(devEUI: string, error: ApiError): Promise<string> {
    if (error.reason !== 'NOT_ENCODED') return error.reason.toLowerCase();
    const device = await devices.of(devEUI);
    if (!device) return 'not_found';
    const at = clock.now();
    const event = buildEvent('error', device, at, { type: 'DOWNLINK_CODEC', error: error.message });
    const happening = { about: `command for ${devEUI}`, devEUI, at, events: [event] };
    await database.transaction(() => recorder.record(happening).write());
    return 'codec';
  }

  async function result({ applicationID, devEUI, payload }: DownlinkCommand, message?: Resendable): Promise<string> {
    if (payload.length > mostBytes) return 'too_large';
    const item = readCommand(payload, devEUI);
    if (!item) return 'malformed';
    const device = await devices.of(devEUI);
    if (device?.applicationID !== applicationID) return 'not_found';
    try {
      await enqueue(item, message && (() => taken.keep(message)));
      return 'enqueued';
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 'Unavailable') throw error;
      return refuse(devEUI, error);
    }
  }

  return async (command) => {
    const { applicationID, devEUI, payload, again } = command;
    const hash = createHash('sha256').update(payload).digest('base64');
    const content = `${applicationID} ${devEUI} ${hash}`;
    const message = again && { ...again, content };
    if (lately.has(content) || (message?.isDuplicate && (await taken.has(message)))) {
      return metrics.count('commands', { result: 'twice' });
    }
    lately.keep(content, echoMs);
    try {
      const said = await result(command, message);
      metrics.count('commands', { result: said });
      if (said !== 'enqueued') log.info({ applicationID, devEUI, result: said }, 'a command was not enqueued');
    } catch (error) {
      lately.forget(content);
      metrics.count('commands', { result: 'failed' });
      throw error;
    }
  };
}

/** Undefined for what is no command. Ids inside are not looked at, but a numeric applicationID is none of theirs. */
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

/** What was seen a moment ago; the oldest leave when there is too much. */
function createMemory(nowMs: () => number) {
  const until = new Map<string, number>();
  return {
    has: (key: string) => (until.get(key) ?? 0) > nowMs(),
    keep: (key: string, ms: number) => {
      until.delete(key);
      until.set(key, nowMs() + ms);
      if (until.size > mostRemembered) until.delete(until.keys().next().value!);
    },
    forget: (key: string) => void until.delete(key),
  };
}
