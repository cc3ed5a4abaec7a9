import type { Region, SubBand } from './region.ts';

/** The sub-bands in which a rule limits how long a gateway sends; none where the region has no such rule. */
export function limitedSubBands({ subBands, limitsDutyCycle }: Region): readonly SubBand[] {
  return limitsDutyCycle ? subBands : [];
}

/** The limited sub-band of a frequency in Hz; undefined where nothing limits the time on air. */
export function limitedSubBandOf(region: Region, frequency: number): SubBand | undefined {
  return limitedSubBands(region).find(({ from, to }) => from <= frequency && frequency < to);
}
