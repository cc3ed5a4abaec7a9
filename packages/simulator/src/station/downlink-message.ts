/** The `dnmsg` of a server: which window it names, and the transmission that follows. */
import type { Txpk } from '@hilltop/gateway-protocols';
import type { Modulation } from '@hilltop/lorawan';
import { modulationFields } from '../rxpk.ts';

export interface DownlinkMessage {
  readonly diid: number;
  readonly dC: 0 | 1 | 2;
  readonly pdu: string;
  readonly RxDelay?: number;
  readonly xtime?: string;
  readonly gpstime?: string;
  readonly DR?: number;
  readonly Freq?: number;
  readonly RX1DR?: number;
  readonly RX1Freq?: number;
  readonly RX2DR?: number;
  readonly RX2Freq?: number;
}

/** The data-rate number and frequency of the first window that the server allows. */
export function windowOf({
  dC,
  DR = 0,
  Freq = 0,
  RX1DR = 0,
  RX1Freq = 0,
  RX2DR = 0,
  RX2Freq = 0,
}: DownlinkMessage): [dr: number, frequency: number] {
  if (dC === 1) return [DR, Freq];
  if (dC === 0 && RX1Freq !== 0) return [RX1DR, RX1Freq];
  return [RX2DR, RX2Freq];
}

export function txpkOfMessage(
  { dC, xtime = '0', gpstime = '0', RxDelay = 0, RX1Freq }: DownlinkMessage,
  phyPayload: Uint8Array,
  { frequency, modulation }: { frequency: number; modulation: Modulation },
): Txpk {
  const delayUs = BigInt(Math.max(RxDelay, 1) + (RX1Freq ? 0 : 1)) * 1_000_000n;
  return {
    ...(dC === 0 && { tmst: Number((BigInt(xtime) + delayUs) % 2n ** 32n) }),
    ...(dC === 1 && { tmms: Number(BigInt(gpstime) / 1000n) }),
    ...(dC === 2 && { imme: true as const }),
    freq: frequency / 1e6,
    rfch: 0,
    powe: 14,
    ant: 0,
    brd: 0,
    ...modulationFields(modulation),
    ipol: true,
    size: phyPayload.length,
    data: phyPayload.toBase64(),
  };
}
