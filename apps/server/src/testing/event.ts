import { buildEvent, type DeviceEvent, type EventType, type PendingEvent } from '../events/event.ts';

type Details<T extends EventType> = Parameters<typeof buildEvent<T>>[3];

const at = new Date('2026-01-01T00:00:00Z');
const nothing = { variables: {}, devAddr: '', appSKey: new Uint8Array(), deviceProfileTags: {} };
const profile = {
  deviceProfileID: '',
  deviceProfileName: '',
  networkServerID: 0,
  codec: { codec: '', encoderScript: '', decoderScript: '' },
};

/** An event of a device without further data. */
export function pendingEvent<T extends EventType>(type: T, devEUI: string, details: Details<T>): PendingEvent {
  const device = { devEUI, name: 'sensor', tags: {}, applicationID: 1, applicationName: 'field' };
  return buildEvent(type, { ...device, ...nothing, ...profile }, at, details);
}

/** An uplink event as it is published once it is stored. */
export function storedEvent(devEUI: string, streamID: string, fCnt = 0): DeviceEvent {
  return { ...pendingEvent('up', devEUI, { fCnt }), id: `${devEUI}-${streamID}` };
}
