import type { LoRaCloudIntegration } from '@hilltop/contract';
import type { LoggedEvent } from '../../event-log/event-log.ts';
import { hexOf, type ReadEvent, type RXInfoJson } from '../event-json.ts';
import { type Caused, DeliveryTrouble, type Job } from '../integration.ts';
import { call, isJson, locationOf } from './call.ts';
import { assistOf, captureTimeOf, timestampOf } from './rx-time.ts';
import { scansIn } from './stream-records.ts';

/** What a device sends to the modem and geolocation services. */
type DASMessage = { readonly msgtype: 'joining' | 'modem' | 'gnss' | 'updf' | 'wifi' } & Readonly<
  Record<string, unknown>
>;

/** An uplink whose stream records hold more scans than this is not an honest one. */
const mostScans = 16;

/** Passes an uplink or join on; answers what the services want done about it. */
export async function sendToDAS(
  event: LoggedEvent,
  read: ReadEvent<'up' | 'join'>,
  job: Job<LoRaCloudIntegration>,
): Promise<Caused[]> {
  const { dasToken, dasStreamingGeolocWorkaround } = job.config;
  const fCnt = read.type === 'up' ? read.payload.fCnt : 0;
  const eui = event.devEUI.replaceAll(/..(?!$)/g, '$&-');

  async function exchange(
    message: DASMessage,
  ): Promise<{ result: Readonly<Record<string, unknown>>; caused: Caused[] }> {
    const answer = await call(job, '/api/v1/uplink/send', [['Authorization', dasToken]], { [eui]: message });
    const result = resultOf(answer, eui);
    return { result, caused: causedBy(message.msgtype, result, fCnt) };
  }

  const { result, caused } = await exchange(messageOf(event, read, job.config));
  if (!dasStreamingGeolocWorkaround) return caused;
  const { rxInfo } = read.payload;
  const timestamp = timestampOf(rxInfo, event.at);
  for (const { msgtype, payload } of scansIn(result['stream_records']).slice(0, mostScans)) {
    const assist = msgtype === 'gnss' ? assistOf(rxInfo) : {};
    caused.push(...(await exchange({ msgtype, payload, timestamp, ...assist })).caused);
  }
  return caused;
}

function messageOf(
  { at }: LoggedEvent,
  read: ReadEvent<'up' | 'join'>,
  { dasModemPort, dasGNSSPort, dasGNSSUseRxTime }: LoRaCloudIntegration,
): DASMessage {
  const { rxInfo, txInfo, dr } = read.payload;
  const timestamp = timestampOf(rxInfo, at);
  const freq = txInfo?.frequency ?? 0;
  if (read.type === 'join') return { msgtype: 'joining', timestamp, dr, freq };
  const { fCnt: fcnt, fPort: port, data } = read.payload;
  const payload = hexOf(data);
  if (port === dasModemPort) return { msgtype: 'modem', payload, fcnt, timestamp, dr, freq };
  if (port === dasGNSSPort) {
    const captured = dasGNSSUseRxTime ? captureTimeOf(rxInfo as readonly RXInfoJson[], at) : {};
    return { msgtype: 'gnss', payload, timestamp, ...captured, ...assistOf(rxInfo) };
  }
  return { msgtype: 'updf', fcnt, port, dr, freq, timestamp, payload: '' };
}

/** The part of the answer that is about this device. */
function resultOf(answer: Readonly<Record<string, unknown>>, eui: string): Readonly<Record<string, unknown>> {
  const devices = isJson(answer['result']) ? answer['result'] : {};
  const [, device] = Object.entries(devices).find(([name]) => name.toLowerCase() === eui) ?? [];
  if (!isJson(device)) throw new DeliveryTrouble('event', 'LoRa Cloud answered nothing about this device.');
  const { error, result } = device;
  if (typeof error === 'string' && error !== '')
    throw new DeliveryTrouble('event', `LoRa Cloud refused the message: ${error.slice(0, 200)}`);
  return isJson(result) ? result : {};
}

const sources: Readonly<Partial<Record<DASMessage['msgtype'], string>>> = {
  gnss: 'GEO_RESOLVER_GNSS',
  wifi: 'GEO_RESOLVER_WIFI',
};

function causedBy(msgtype: DASMessage['msgtype'], result: Readonly<Record<string, unknown>>, fCnt: number): Caused[] {
  const caused: Caused[] = [];
  if (msgtype !== 'joining')
    caused.push({
      what: 'integration',
      integrationName: 'loracloud',
      eventType: 'DAS_UplinkResponse',
      objectJSON: JSON.stringify(result),
    });
  const { dnlink, position_solution: position } = result;
  if (isJson(dnlink) && typeof dnlink['payload'] === 'string' && /^([0-9a-f]{2})+$/i.test(dnlink['payload'])) {
    const fPort = typeof dnlink['port'] === 'number' && dnlink['port'] !== 0 ? dnlink['port'] : 150;
    caused.push({ what: 'downlink', fPort, data: Uint8Array.fromHex(dnlink['payload']) });
  }
  const location = isJson(position) && locationOf(position['llh'], position['accuracy'], sources[msgtype] ?? 'UNKNOWN');
  if (location) caused.push({ what: 'location', location, fCnt, uplinkIDs: [], tags: {} });
  return caused;
}
