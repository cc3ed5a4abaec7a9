import type { UsedNonces } from '../device/used-nonces.ts';
import type { RowProblem } from './plan.ts';
import type { RowValues } from './values.ts';

const highestJoinNonce = 2 ** 24 - 1;
const highestDevNonce = 2 ** 16 - 1;

/** `0102030405060708 1 2 3`: each JoinEUI with the DevNonces that were used with it. */
export function devNoncesText(devNonces: UsedNonces['devNonces']): string {
  const byJoinEUI = Map.groupBy(devNonces, ({ joinEUI }) => joinEUI);
  return [...byJoinEUI]
    .map(([joinEUI, uses]) => [joinEUI, ...uses.map(({ devNonce }) => devNonce)].join(' '))
    .join(' ');
}

/** Undefined with a problem. */
function parseDevNonces(text: string): UsedNonces['devNonces'] | undefined {
  const found: { joinEUI: string; devNonce: number }[] = [];
  let joinEUI: string | undefined;
  for (const word of text.toLowerCase().split(/\s+/)) {
    if (/^[0-9a-f]{16}$/.test(word)) joinEUI = word;
    else if (joinEUI === undefined || !/^\d{1,5}$/.test(word) || Number(word) > highestDevNonce) return undefined;
    else found.push({ joinEUI, devNonce: Number(word) });
  }
  return found;
}

/** The nonces of a row; undefined with a problem. */
export function readUsedNonces(values: RowValues, problems: RowProblem[]): UsedNonces | undefined {
  const [joinNonce, devNonces] = [values.get('joinNonce'), values.get('devNonces')];
  const isNumber = joinNonce === undefined || (/^\d{1,8}$/.test(joinNonce) && Number(joinNonce) <= highestJoinNonce);
  if (!isNumber) problems.push({ field: 'joinNonce', text: `Must be a number up to ${highestJoinNonce}.` });
  const uses = devNonces === undefined ? [] : parseDevNonces(devNonces);
  if (uses === undefined)
    problems.push({
      field: 'devNonces',
      text: 'Must be a JoinEUI and the DevNonces that were used with it, such as 0102030405060708 1 2 3.',
    });
  if (!isNumber || uses === undefined) return undefined;
  return { joinNonce: joinNonce === undefined ? null : Number(joinNonce), devNonces: uses };
}
