import type { LoRaCloudIntegration } from '@hilltop/contract';
import type { LoggedEvent } from '../../event-log/event-log.ts';
import { type EventJson, hexOf, objectOf, type RXInfoJson } from '../event-json.ts';
import type { Caused, Job } from '../integration.ts';
import { call, isJson, locationOf } from './call.ts';
import type { Frame } from './frames.ts';
import { assistOf, captureTimeOf } from './rx-time.ts';

/** A way to locate, with what it is asked. */
interface Question {
  readonly resolver: 'GNSS' | 'WIFI' | 'TDOA' | 'RSSI';
  readonly paths: { readonly das: string; readonly legacy: string };
  readonly body: object;
  /** Those it is located by. */
  readonly frames: readonly Frame[];
}

/** An uplink, and those that are located together with it. */
export interface Located {
  readonly event: LoggedEvent;
  readonly up: EventJson<'up'>;
  readonly frames: readonly Frame[];
}

/** Asks the first resolver that has what it needs; answers the location it found. */
export async function locate(located: Located, job: Job<LoRaCloudIntegration>): Promise<Caused[]> {
  const { dasToken, geolocationToken } = job.config;
  const question = dasToken || geolocationToken ? questionOf(located, job.config) : undefined;
  if (!question) return [];
  const { resolver, paths, body, frames } = question;
  const [path, header] = dasToken
    ? [paths.das, ['Authorization', dasToken] as const]
    : [paths.legacy, ['Ocp-Apim-Subscription-Key', geolocationToken] as const];
  const { result } = await call(job, path, [header], body);
  if (!isJson(result)) return [];
  const { llh, latitude, longitude, altitude, accuracy } = result;
  const location = locationOf(llh ?? [latitude, longitude, altitude], accuracy, `GEO_RESOLVER_${resolver}`);
  if (!location) return [];
  const { fCnt, tags } = located.up;
  const uplinkIDs = frames.flatMap(({ rxInfo }) => rxInfo.map(({ uplinkID }) => Uint8Array.fromBase64(uplinkID ?? '')));
  return [{ what: 'location', location, fCnt: frames.length > 0 ? 0 : fCnt, uplinkIDs: distinct(uplinkIDs), tags }];
}

function distinct(ids: readonly Uint8Array[]): Uint8Array[] {
  return [...new Map(ids.filter(({ length }) => length > 0).map((id) => [id.toHex(), id])).values()];
}

/** The first that is switched on and has what it needs. A member of another type than its own asks nobody. */
function questionOf({ event, up, frames }: Located, config: LoRaCloudIntegration): Question | undefined {
  const object = objectOf(up);
  const member = (name: string) => (isJson(object) && Object.hasOwn(object, name) ? object[name] : undefined);
  const scan = config.geolocationGNSS ? member(config.geolocationGNSSPayloadField) : undefined;
  if (scan !== undefined) return typeof scan === 'string' ? gnss(scan, event, up, config) : undefined;
  const points = config.geolocationWifi ? member(config.geolocationWifiPayloadField) : undefined;
  if (points !== undefined) return wifi(points, up);
  const least = Math.max(1, config.geolocationMinBufferSize);
  const fine = frames.filter(({ rxInfo }) => antennas(rxInfo).filter(({ toa }) => toa !== undefined).length >= 3);
  if (config.geolocationTDOA && fine.length >= least) return together('TDOA', fine);
  if (config.geolocationRSSI && frames.length >= least) return together('RSSI', frames);
  return undefined;
}

function gnss(scan: string, { at }: LoggedEvent, { rxInfo }: EventJson<'up'>, config: LoRaCloudIntegration) {
  const payload = bytesOf(scan);
  if (!payload) return undefined;
  const captured = config.geolocationGNSSUseRxTime ? captureTimeOf(rxInfo, at) : {};
  const paths = {
    das: '/api/v1/solve/gnss_lr1110_singleframe',
    legacy: '/api/v3/solve/gnss_lr1110_singleframe',
  };
  return { resolver: 'GNSS', paths, body: { payload, ...captured, ...assistOf(rxInfo) }, frames: [] } as const;
}

function wifi(points: unknown, { rxInfo }: EventJson<'up'>): Question | undefined {
  if (!Array.isArray(points)) return undefined;
  const wifiAccessPoints = points.map((point: unknown) => {
    const address = isJson(point) && typeof point['macAddress'] === 'string' ? bytesOf(point['macAddress']) : undefined;
    if (!address || !isJson(point) || typeof point['signalStrength'] !== 'number') return undefined;
    return { macAddress: address.replaceAll(/..(?!$)/g, '$&:'), signalStrength: point['signalStrength'] };
  });
  if (wifiAccessPoints.includes(undefined)) return undefined;
  const paths = { das: '/api/v1/solve/loraWifi', legacy: '/api/v2/loraWifi' };
  return { resolver: 'WIFI', paths, body: { lorawan: antennas(rxInfo), wifiAccessPoints }, frames: [] };
}

/** One frame has another path than many, and no list around it. */
function together(resolver: 'TDOA' | 'RSSI', frames: readonly Frame[]): Question {
  const uplinks = frames.map(({ rxInfo }) => {
    const received = antennas(rxInfo);
    if (resolver === 'TDOA') return received.filter(({ toa }) => toa !== undefined);
    return received.map(({ gatewayId, rssi, snr, antennaId, antennaLocation }) => {
      return { gatewayId, rssi, snr, antennaId, antennaLocation };
    });
  });
  const name = `${resolver.toLowerCase()}${frames.length === 1 ? '' : 'Multiframe'}`;
  const paths = { das: `/api/v1/solve/${name}`, legacy: `/api/v2/${name}` };
  return { resolver, paths, body: { lorawan: frames.length === 1 ? uplinks[0] : uplinks }, frames };
}

/** Receptions at antennas whose place is known. */
function antennas(rxInfo: readonly RXInfoJson[]) {
  return rxInfo.flatMap(({ gatewayID, rssi, loRaSNR, antenna, location, plainFineTimestamp }) => {
    if (!location) return [];
    const toa = nanosecondsOf(plainFineTimestamp?.time);
    const { latitude, longitude, altitude } = location;
    return {
      gatewayId: hexOf(gatewayID),
      rssi,
      snr: loRaSNR,
      ...(toa !== undefined && { toa }),
      antennaId: antenna,
      antennaLocation: { latitude, longitude, altitude },
    };
  });
}

/** What of a time is below its second. */
function nanosecondsOf(time: string | null | undefined): number | undefined {
  if (!time) return undefined;
  return Number((/\.(\d{1,9})/.exec(time)?.[1] ?? '').padEnd(9, '0'));
}

/** Base64 to hexadecimal digits; undefined when it is none. */
function bytesOf(base64: string): string | undefined {
  try {
    return Uint8Array.fromBase64(base64).toHex();
  } catch {
    return undefined;
  }
}
