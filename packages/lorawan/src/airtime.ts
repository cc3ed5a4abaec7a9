import { FrameError } from './errors.ts';

/** How a frame is modulated. Bandwidth in kHz, datarate in bits per second, operatingChannelWidth in Hz. */
export type Modulation =
  | { modulation: 'LORA'; bandwidth: number; spreadingFactor: number; codeRate?: string }
  | { modulation: 'FSK'; datarate: number }
  | { modulation: 'LR_FHSS'; operatingChannelWidth: number; codeRate: string };

export interface LoRaFrameShape {
  payloadSize: number;
  /** kHz */
  bandwidth: number;
  spreadingFactor: number;
  /** 4/5 to 4/8 */
  codeRate: string;
  preambleSymbols: number;
  /** Explicit header, which every LoRaWAN frame but the beacon has. */
  header: boolean;
  lowDataRateOptimize: boolean;
  crc: boolean;
}

/** Time on air in milliseconds of a LoRaWAN frame of that many bytes (MHDR to MIC), sent as uplink (with CRC) or downlink. */
export function airtime(bytes: number, modulation: Modulation, direction: 'up' | 'down' = 'up'): number {
  switch (modulation.modulation) {
    case 'LORA': {
      const symbolMs = 2 ** modulation.spreadingFactor / modulation.bandwidth;
      return (
        loRaAirtimeUs({
          payloadSize: bytes,
          bandwidth: modulation.bandwidth,
          spreadingFactor: modulation.spreadingFactor,
          codeRate: modulation.codeRate ?? '4/5',
          preambleSymbols: 8,
          header: true,
          lowDataRateOptimize: symbolMs > 16,
          crc: direction === 'up',
        }) / 1000
      );
    }
    case 'FSK': // preamble 5, sync word 3, length 1, CRC 2
      return ((5 + 3 + 1 + bytes + 2) * 8 * 1000) / modulation.datarate;
    case 'LR_FHSS':
      return lrFhssAirtimeMs(bytes, modulation.codeRate);
  }
}

/** Symbols of header and payload of a LoRa frame (Semtech SX1276 data sheet, 4.1.1.7). */
export function loRaPayloadSymbols(frame: LoRaFrameShape): number {
  const bits = 8 * frame.payloadSize - 4 * frame.spreadingFactor + 28 + (frame.crc ? 16 : 0) - (frame.header ? 0 : 20);
  const perBlock = 4 * (frame.spreadingFactor - (frame.lowDataRateOptimize ? 2 : 0));
  return 8 + Math.max(Math.ceil(bits / perBlock) * codeRateDenominator(frame.codeRate), 0);
}

/** Time on air of a LoRa frame in microseconds. */
export function loRaAirtimeUs(frame: LoRaFrameShape): number {
  const symbolUs = (2 ** frame.spreadingFactor * 1000) / frame.bandwidth;
  return (frame.preambleSymbols + 4.25 + loRaPayloadSymbols(frame)) * symbolUs;
}

/** LR-FHSS: header replicas of 233.472 ms each (3 at rate 1/3, else 2), then payload fragments of 102.4 ms. */
function lrFhssAirtimeMs(bytes: number, codeRate: string): number {
  const isRobust = codeRate === '1/3' || codeRate === '2/6';
  const codedBits = ((bytes + 2) * 8 + 6) * (isRobust ? 3 : 1.5);
  return (isRobust ? 3 : 2) * 233.472 + Math.ceil(codedBits / 48) * 102.4;
}

function codeRateDenominator(codeRate: string): number {
  const match = /^4\/([5-8])(LI)?$/.exec(codeRate);
  if (!match) throw new FrameError('codeRate', 0, `"${codeRate}" is not a LoRa code rate from 4/5 to 4/8`);
  return Number(match[1]);
}
