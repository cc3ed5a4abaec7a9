import { readUint, writeUint } from './bytes.ts';
import { FrameError } from './errors.ts';

/**
 * A frequency in three bytes: in units of 100 Hz, or of 200 Hz in the 2.4 GHz band. The units are unambiguous, since
 * codes from 12 000 000 on would otherwise mean 1.2 GHz and more, where LoRaWAN has no region (LoRaWAN Regional
 * Parameters, ISM2400).
 */
const firstFineCode = 12_000_000;

export function readFrequency(bytes: Uint8Array, at: number): number {
  const code = readUint(bytes, at, 3);
  return code * (code >= firstFineCode ? 200 : 100);
}

/** Throws FrameError for a frequency that is not a multiple of its unit. */
export function writeFrequency(bytes: Uint8Array, at: number, field: string, frequency: number): void {
  const unit = frequency >= firstFineCode * 200 ? 200 : 100;
  const code = frequency / unit;
  if (!Number.isInteger(code) || (unit === 100 && code >= firstFineCode)) {
    throw new FrameError(field, at, `${frequency} Hz cannot be written in steps of ${unit} Hz`);
  }
  writeUint(bytes, at, field, code, 3);
}
