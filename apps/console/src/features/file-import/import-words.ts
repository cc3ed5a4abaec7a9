import type { FileImport } from '@hilltop/contract';

type Kind = FileImport['kind'];

/** One record of each kind, and several. */
const nouns = { DEVICES: ['device', 'devices'], GATEWAYS: ['gateway', 'gateways'] } as const;

export const many = (kind: Kind): string => nouns[kind][1];

/** `1,180 devices`. */
export const counted = (count: number, kind: Kind): string =>
  `${count.toLocaleString('en')} ${nouns[kind][count === 1 ? 0 : 1]}`;

/** `1,180 devices will be created. 8 rows have problems.` */
export function checkSentences(kind: Kind, check: NonNullable<FileImport['check']>): string[] {
  const { createCount, updateCount, skipCount, problemCount } = check;
  const rows = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'row has' : 'rows have'}`;
  return [
    `${counted(createCount, kind)} will be created.`,
    ...(updateCount > 0 ? [`${counted(updateCount, kind)} will be updated.`] : []),
    ...(skipCount > 0 ? [`${counted(skipCount, kind)} exist already and will be skipped.`] : []),
    ...(problemCount > 0 ? [`${rows(problemCount)} problems.`] : []),
  ];
}
