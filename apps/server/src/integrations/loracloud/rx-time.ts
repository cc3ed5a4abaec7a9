import { gpsTimeOf } from '@hilltop/lorawan';
import { parseDuration } from '@hilltop/protobuf';
import { bestOf, type RXInfoJson } from '../event-json.ts';

/** Seconds since 1970 by the first gateway that knows the time, else by when it arrived here. */
export function timestampOf(rxInfo: readonly RXInfoJson[], at: Date): number {
  const time = rxInfo.find((one) => one.time !== null)?.time;
  return (typeof time === 'string' ? Date.parse(time) : at.getTime()) / 1000;
}

/** A scan is made about so long before it is received. */
const scanSeconds = 6;

/** When a scan was made, in seconds since the GPS epoch: what receiving it tells of that. */
export function captureTimeOf(rxInfo: readonly RXInfoJson[], at: Date) {
  const sinceEpoch = rxInfo.find((one) => one.timeSinceGPSEpoch !== null)?.timeSinceGPSEpoch;
  const ms = parseDuration(sinceEpoch ?? '') ?? gpsTimeOf(at);
  return { gnss_capture_time: ms / 1000 - scanSeconds, gnss_capture_time_accuracy: 15 };
}

/** Where the gateway with the best signal is, as a hint where to look for satellites. */
export function assistOf(rxInfo: readonly RXInfoJson[]) {
  const location = bestOf(rxInfo.filter((one) => one.location !== null))?.location;
  if (!location) return {};
  return {
    gnss_assist_position: [location.latitude, location.longitude],
    gnss_assist_altitude: location.altitude,
  };
}
