/** `dnmsg`: one transmission with up to two windows, which a station tries itself. */
import type { gw } from '@hilltop/protobuf';
import { rateOfModulation, type StationRates } from './data-rates.ts';
import { formatDashed } from './eui.ts';
import { formatExact } from './exact-json.ts';
import { readContext } from './uplink.ts';

/** A zero EUI would suppress `dntxed`, and the station has no other use for it. */
const someDevEUI = formatDashed('0101010101010101');

export interface Dnmsg {
  readonly text: string;
  /** Indexes of the items of the downlink that the message contains. */
  readonly items: readonly number[];
}

/**
 * The message for a downlink. Null when the station cannot send it: its first item belongs to another region, is not
 * inverted (stations always invert), or has no context of a station. The message also contains the second window if
 * that is the same frame a second later, because it has space for one frame and the station tries the first window
 * first.
 */
export function dnmsgOf(
  { items }: gw.DownlinkFrame,
  { rates, diid, muxTime }: { rates: StationRates; diid: number; muxTime: number },
): Dnmsg | null {
  const [first, second] = items;
  const txInfo = first?.txInfo;
  const window = txInfo && windowOf(rates, txInfo);
  if (!first || !txInfo || !window) return null;
  const head = { msgtype: 'dnmsg', DevEui: someDevEUI, diid, pdu: first.phyPayload.toHex(), priority: 1 };
  const answer = (timing: object, places: number[]) => ({
    text: formatExact({ ...head, ...timing, MuxTime: muxTime }),
    items: places,
  });

  if (txInfo.gpsEpochTimingInfo) {
    const gpstime = String(Math.round((txInfo.gpsEpochTimingInfo.timeSinceGPSEpoch ?? 0) * 1000));
    return answer({ dC: 1, gpstime, ...window }, [0]);
  }
  const context = readContext(txInfo.context);
  if (!txInfo.delayTimingInfo) {
    // Sent at once. Stations before 2.0.6 drop a message without RxDelay even then.
    return answer(
      { dC: 2, RxDelay: 1, rctx: String(context?.rctx ?? 0n), RX2DR: window.DR, RX2Freq: window.Freq },
      [0],
    );
  }
  if (!context) return null;
  const delay = secondsOf(txInfo);
  const timing = { dC: 0, RxDelay: delay, rctx: String(context.rctx), xtime: String(context.xtime) };
  const rx1 = { RX1DR: window.DR, RX1Freq: window.Freq };
  const later = second?.txInfo && secondsOf(second.txInfo) === delay + 1 ? windowOf(rates, second.txInfo) : null;
  const isSame = second?.phyPayload.toHex() === head.pdu;
  if (!later || !isSame) return answer({ ...timing, ...rx1 }, [0]);
  return answer({ ...timing, ...rx1, RX2DR: later.DR, RX2Freq: later.Freq }, [0, 1]);
}

function windowOf(rates: StationRates, txInfo: gw.DownlinkTXInfo): { DR: number; Freq: number } | null {
  const isInverted = txInfo.loRaModulationInfo?.polarizationInversion ?? true;
  const DR = rateOfModulation(rates, txInfo);
  return DR === null || !isInverted ? null : { DR, Freq: txInfo.frequency };
}

/** Whole seconds after the uplink, at least one. */
function secondsOf({ delayTimingInfo }: gw.DownlinkTXInfo): number {
  return Math.max(Math.round((delayTimingInfo?.delay ?? 0) / 1000), 1);
}
