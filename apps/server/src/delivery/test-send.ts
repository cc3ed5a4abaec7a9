import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { EventLog, LoggedEvent } from '../event-log/event-log.ts';
import { buildEvent, type DeviceEvent, type EventType } from '../events/event.ts';
import type { Configured } from '../integrations/integration.ts';
import type { OutgoingHTTP } from '../outgoing/http.ts';
import { createAttempt, type Kind, type Tried } from './attempt.ts';
import type { DeliveryContext } from './context.ts';

/** What is sent to try an integration: the newest event that fits, or a made-up one. */
export interface TestEvent {
  applicationID: number;
  applicationName: string;
  type: EventType | undefined;
  /** Empty: of any device. */
  devEUI: string;
}

export interface TestSent extends Tried {
  event: LoggedEvent;
  isMadeUp: boolean;
}

/** Undefined when there is no such kind. Never counts, sets aside or causes anything. */
export type TestSend = (configured: Configured, wanted: TestEvent) => Promise<TestSent | undefined>;

export function createTestSend(needs: {
  http: Pick<OutgoingHTTP, 'send'>;
  kinds: Readonly<Partial<Record<string, Kind>>>;
  database: Database;
  eventLog: EventLog;
  clock: Clock;
  surroundings: DeliveryContext;
}): TestSend {
  const { eventLog, clock, kinds } = needs;
  const attempt = createAttempt(needs);

  async function newest(kind: Kind, { applicationID, type, devEUI }: TestEvent): Promise<LoggedEvent | undefined> {
    const types = type === undefined ? kind.takes : [type];
    const ofDevice = devEUI === '' ? {} : { devEUI };
    const found = await Promise.all(types.map((one) => eventLog.newest(applicationID, { type: one, ...ofDevice })));
    return found.filter((one) => one !== undefined).sort((a, b) => b.at.getTime() - a.at.getTime())[0];
  }

  return async (configured, wanted) => {
    const kind = kinds[configured.kind];
    if (!kind) return undefined;
    const found = await newest(kind, wanted);
    const event = found ?? madeUp(wanted, clock.now());
    if (!kind.takes.includes(event.type)) return { ...untried, event, isMadeUp: !found };
    const tried = await attempt({ configured, kind, events: [event], attempt: 1, done: new Set() });
    const { sent, excerpt } = tried;
    return { ...tried, sent, excerpt, event, isMadeUp: !found };
  };
}

const untried: Tried = {
  trouble: undefined,
  isOurs: false,
  requests: 0,
  bytes: 0,
  ms: 0,
  sent: '',
  status: 0,
  excerpt: '',
};

/** Says in its names that it is a test. */
function madeUp({ applicationID, applicationName, type = 'up', devEUI }: TestEvent, at: Date): LoggedEvent {
  const device = {
    applicationID,
    applicationName,
    devEUI: devEUI === '' ? '0000000000000000' : devEUI,
    name: 'test-device',
    tags: {},
    variables: {},
    devAddr: '00000000',
    appSKey: new Uint8Array(),
    deviceProfileID: '',
    deviceProfileName: 'test',
    deviceProfileTags: {},
    codec: { codec: '', encoderScript: '', decoderScript: '' },
  };
  const uplink = { fPort: 1, data: Buffer.from('test'), objectJSON: '{"test":true}' };
  const pending = type === 'up' ? buildEvent('up', device, at, uplink) : buildEvent(type, device, at, {});
  const event = { ...pending, id: `${device.devEUI}-${at.getTime()}-0` } as DeviceEvent;
  return { id: event.id, pos: 0, type, devEUI: event.devEUI, applicationID, at, json: event.json() };
}
