import { gatewayEventTypes } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { organizationOf } from '../event-log/event.ts';
import type { EventLog, LoggedEvent, LoggedType } from '../event-log/event-log.ts';
import { buildEvent, type DeviceEvent, type EventType, eventMessages } from '../events/event.ts';
import { sampleGatewayEvent } from '../events/gateway-event.ts';
import { type ConfiguredIntegration, delivers } from '../integrations/integration.ts';
import type { OutgoingHTTP } from '../outgoing/http.ts';
import { type AnyAdapter, type AttemptResult, createAttempt } from './attempt.ts';
import type { EventLookups } from './event-lookups.ts';

/** The event to send as a test: the newest matching one, or a sample. */
export interface TestEvent {
  applicationID: number;
  applicationName: string;
  type: LoggedType | undefined;
  /** Empty: of any device. */
  devEUI: string;
}

export interface TestSendResult extends AttemptResult {
  event: LoggedEvent;
  /** The event is a sample, because no matching one was logged. */
  isMadeUp: boolean;
}

/** Sends a test event with no effect on cursor, retry queue and counts. Undefined when the kind is unknown. */
export type TestSend = (
  integration: ConfiguredIntegration,
  selection: TestEvent,
) => Promise<TestSendResult | undefined>;

export function createTestSend(dependencies: {
  http: Pick<OutgoingHTTP, 'send'>;
  adapters: Readonly<Partial<Record<string, AnyAdapter>>>;
  database: Database;
  eventLog: EventLog;
  clock: Clock;
  lookups: EventLookups;
}): TestSend {
  const { eventLog, clock, adapters } = dependencies;
  const attempt = createAttempt(dependencies);

  async function findNewest(
    types: readonly LoggedType[],
    { applicationID, devEUI }: TestEvent,
  ): Promise<LoggedEvent | undefined> {
    const ofDevice = devEUI === '' ? {} : { devEUI };
    const newest = await Promise.all(types.map((type) => eventLog.newest(applicationID, { type, ...ofDevice })));
    return newest.filter((event) => event !== undefined).sort((a, b) => b.at.getTime() - a.at.getTime())[0];
  }

  return async (integration, selection) => {
    const adapter = adapters[integration.kind];
    if (!adapter) return undefined;
    const { type } = selection;
    const delivered = adapter.eventTypes.filter((one) => delivers(adapter, integration, one));
    const types = type === undefined ? delivered : adapter.eventTypes.filter((one) => one === type);
    const logged = await findNewest(types, selection);
    const event = logged ?? sampleOf(types, selection, clock.now());
    const isMadeUp = !logged;
    if (type !== undefined && types.length === 0) return { ...nothingSent, event, isMadeUp };
    const result = await attempt({ integration, adapter, events: [event], attempt: 1, doneParts: [] });
    return { ...result, event, isMadeUp };
  };
}

const nothingSent: AttemptResult = {
  error: undefined,
  isInternal: false,
  doneParts: [],
  requests: 0,
  bytes: 0,
  ms: 0,
  sent: '',
  status: 0,
  excerpt: '',
};

/** A sample of one of these types, an uplink if it is one of them. */
function sampleOf(types: readonly LoggedType[], selection: TestEvent, at: Date): LoggedEvent {
  const organizationID = organizationOf(selection.applicationID);
  if (organizationID === undefined) {
    const ofDevices = types.filter((type) => type in eventMessages) as EventType[];
    return sampleEvent(ofDevices.includes('up') ? 'up' : (ofDevices[0] ?? 'up'), selection, at);
  }
  return sampleGatewayEvent(gatewayEventTypes.find((type) => types.includes(type)) ?? 'online', organizationID, at);
}

/** A sample event, which is named as a test. */
function sampleEvent(
  type: EventType,
  { applicationID, applicationName, devEUI }: Omit<TestEvent, 'type'>,
  at: Date,
): LoggedEvent {
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
    networkServerID: 0,
    codec: { codec: '', encoderScript: '', decoderScript: '' },
  };
  const uplink = { fPort: 1, data: Buffer.from('test'), objectJSON: '{"test":true}' };
  const pending = type === 'up' ? buildEvent('up', device, at, uplink) : buildEvent(type, device, at, {});
  const event = { ...pending, id: `${device.devEUI}-${at.getTime()}-0` } as DeviceEvent;
  return { id: event.id, pos: 0, type, devEUI: event.devEUI, applicationID, at, json: event.json() };
}
