import { as923 } from './as923.ts';
import { as923Group2 } from './as923-2.ts';
import { as923Group3 } from './as923-3.ts';
import { as923Group4 } from './as923-4.ts';
import { au915 } from './au915.ts';
import { cn470 } from './cn470.ts';
import { cn779 } from './cn779.ts';
import { eu433 } from './eu433.ts';
import { eu868 } from './eu868.ts';
import { in865 } from './in865.ts';
import { ism2400 } from './ism2400.ts';
import { kr920 } from './kr920.ts';
import type { Region } from './region.ts';
import { ru864 } from './ru864.ts';
import { us915 } from './us915.ts';

/** All regions. */
export const regions: readonly Region[] = [
  eu868,
  us915,
  au915,
  as923,
  as923Group2,
  as923Group3,
  as923Group4,
  cn470,
  cn779,
  eu433,
  in865,
  ism2400,
  kr920,
  ru864,
];

const byName = new Map(
  regions.flatMap((known) => [known.name, ...known.aliases].map((name) => [name, known] as const)),
);

/** The region of that name or alias (EU868, AS923_2 ...). Throws RangeError for an unknown name. */
export function region(name: string): Region {
  const found = byName.get(name);
  if (!found)
    throw new RangeError(`There is no region "${name}". Known are ${regions.map((known) => known.name).join(', ')}.`);
  return found;
}
