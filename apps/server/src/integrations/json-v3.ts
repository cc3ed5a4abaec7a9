import type { LoggedEvent } from '../event-log/event-log.ts';
import { uuidText } from '../identifiers.ts';
import { type EventJson, hexOf, objectOf, type RXInfoJson, readEvent } from './event-json.ts';
import type { DeliveryJob } from './integration.ts';

type GatewayNames = DeliveryJob<unknown>['gatewayNames'];
type Names = Awaited<ReturnType<GatewayNames>>;

/** The JSON of version 3 and earlier: hexadecimal identifiers, few fields, always in this order. */
export async function jsonV3(event: LoggedEvent, gatewayNames: GatewayNames): Promise<string> {
  const read = readEvent(event);
  if (read.type !== 'up' && read.type !== 'join') return JSON.stringify(membersOf(read));
  const gatewayIDs = [...new Set(read.payload.rxInfo.map(({ gatewayID }) => hexOf(gatewayID)))];
  const { applicationID } = event;
  const names = gatewayIDs.length === 0 ? new Map<string, string>() : await gatewayNames(gatewayIDs, applicationID);
  return JSON.stringify(read.type === 'up' ? uplinkMembers(read.payload, names) : joinMembers(read.payload, names));
}

type Common = Pick<EventJson<'ack'>, 'applicationID' | 'applicationName' | 'deviceName' | 'devEUI'>;

function deviceMembers({ applicationID, applicationName, deviceName, devEUI }: Common) {
  return { applicationID, applicationName, deviceName, devEUI: hexOf(devEUI) };
}

function tagMembers({ tags }: { tags: Readonly<Record<string, string>> }) {
  return Object.keys(tags).length === 0 ? {} : { tags };
}

function receptionMembers(rxInfo: readonly RXInfoJson[], names: Names) {
  if (rxInfo.length === 0) return {};
  const items = rxInfo.map(({ gatewayID, uplinkID, time, rssi, loRaSNR, location }) => ({
    gatewayID: hexOf(gatewayID),
    uplinkID: uuidText(uplinkID ? Uint8Array.fromBase64(uplinkID) : new Uint8Array(16)),
    name: names.get(hexOf(gatewayID)) ?? '',
    ...(time !== null && { time }),
    rssi,
    loRaSNR,
    location: location && { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude },
  }));
  return { rxInfo: items };
}

function uplinkMembers(up: EventJson<'up'>, names: Names) {
  const { applicationID, applicationName, deviceName, devEUI } = deviceMembers(up);
  const { deviceProfileName, deviceProfileID, adr, fCnt, fPort, data } = up;
  const object = objectOf(up);
  return {
    applicationID,
    applicationName,
    deviceName,
    deviceProfileName,
    deviceProfileID,
    devEUI,
    ...receptionMembers(up.rxInfo, names),
    txInfo: { frequency: up.txInfo?.frequency ?? 0, dr: up.dr },
    adr,
    fCnt,
    fPort,
    data: data || null,
    ...(object !== undefined && { object }),
    ...tagMembers(up),
  };
}

function joinMembers(join: EventJson<'join'>, names: Names) {
  return {
    ...deviceMembers(join),
    devAddr: hexOf(join.devAddr),
    ...receptionMembers(join.rxInfo, names),
    txInfo: { frequency: join.txInfo?.frequency ?? 0, dr: join.dr },
    ...tagMembers(join),
  };
}

function membersOf(event: Exclude<ReturnType<typeof readEvent>, { type: 'up' | 'join' }>) {
  const device = deviceMembers(event.payload);
  const tags = tagMembers(event.payload);
  switch (event.type) {
    case 'ack': {
      const { acknowledged, fCnt } = event.payload;
      return { ...device, acknowledged, fCnt, ...tags };
    }
    case 'error': {
      const { type, error, fCnt } = event.payload;
      return { ...device, type, error, ...(fCnt !== 0 && { fCnt }), ...tags };
    }
    case 'status': {
      const { margin, externalPowerSource, batteryLevel, batteryLevelUnavailable } = event.payload;
      return { ...device, margin, externalPowerSource, batteryLevel, batteryLevelUnavailable, ...tags };
    }
    case 'location': {
      const { latitude = 0, longitude = 0, altitude = 0 } = event.payload.location ?? {};
      return { ...device, location: { latitude, longitude, altitude }, ...tags };
    }
    case 'txack':
      return { ...device, fCnt: event.payload.fCnt, ...tags };
    case 'integration':
      return { ...device, ...tags, object: objectOf(event.payload) ?? null };
  }
}
