import { readLabel } from '@hilltop/lorawan/tr005';

/** Of several codes in one picture the one that names a device; undefined if there is no code. */
export function bestCode(codes: readonly string[]): string | undefined {
  return codes.find((text) => readLabel(text).kind === 'device') ?? codes[0];
}
