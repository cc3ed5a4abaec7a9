/** The notations of EUIs of stations. Results and arguments are 16 lower-case hex digits. */
import { PacketError } from '../packet-error.ts';

const dashed = /^[0-9a-f]{2}(-[0-9a-f]{2}){7}$/i;
const plain = /^[0-9a-f]{16}$/i;
const id6Group = /^[0-9a-f]{1,4}$/i;

/**
 * Dashed pairs, sixteen hex digits, a number (beyond 2^53 as decimal text) or id6: four groups of 16 bits with colons,
 * where one run of zero groups may be `::`.
 * @throws PacketError
 */
export function readEUI(given: unknown, field: string): string {
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 0) return toDigits(BigInt(given));
  if (typeof given === 'string') {
    if (dashed.test(given)) return given.replaceAll('-', '').toLowerCase();
    if (plain.test(given)) return given.toLowerCase();
    const groups = groupsOfID6(given);
    if (groups) return groups.map((group) => group.toLowerCase().padStart(4, '0')).join('');
    if (/^\d{1,20}$/.test(given) && BigInt(given) < 2n ** 64n) return toDigits(BigInt(given));
  }
  throw new PacketError('field', `${field} must be an EUI`, field);
}

function toDigits(number: bigint): string {
  return number.toString(16).padStart(16, '0');
}

function groupsOfID6(text: string): string[] | null {
  const [before = '', after, ...more] = text.split('::');
  if (more.length > 0 || !text.includes(':')) return null;
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const missing = 4 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 0) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  return groups.every((group) => id6Group.test(group)) ? groups : null;
}

/** `0004000300020001` -> `4:3:2:1`. */
export function formatID6(eui: string): string {
  return (eui.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

/** `0004000300020001` -> `00-04-00-03-00-02-00-01`. */
export function formatDashed(eui: string): string {
  return (eui.match(/../g) ?? []).join('-');
}
