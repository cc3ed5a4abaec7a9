import { type EventItem, payloadOf } from './event-kind.ts';

/** RSSI and SNR of an uplink at the gateway that received it best: "-71 dBm", "9.5 dB". */
export function signalOf(uplink: EventItem | undefined): { rssi: string; snr: string } | undefined {
  const received = uplink ? (payloadOf(uplink).rxInfo ?? []) : [];
  const [best] = received.toSorted(
    (a, b) => (b.loRaSNR ?? -99) - (a.loRaSNR ?? -99) || (b.rssi ?? -999) - (a.rssi ?? -999),
  );
  if (!best) return undefined;
  return { rssi: `${Math.round(best.rssi ?? 0)} dBm`, snr: `${Number((best.loRaSNR ?? 0).toFixed(1))} dB` };
}
