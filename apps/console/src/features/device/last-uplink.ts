import { bestReception, formatRSSI, formatSNR } from '../../components/live-log/radio.ts';
import { type EventItem, payloadOf } from './event-kind.ts';

/** RSSI and SNR of an uplink at the gateway that received it best: "-71 dBm", "9.5 dB". */
export function signalOf(uplink: EventItem | undefined): { rssi: string; snr: string } | undefined {
  const best = uplink && bestReception(payloadOf(uplink).rxInfo);
  if (!best) return undefined;
  return { rssi: `${formatRSSI(best.rssi ?? 0)} dBm`, snr: `${formatSNR(best.loRaSNR ?? 0)} dB` };
}
