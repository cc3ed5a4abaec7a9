import { notFound, refusal } from '@hilltop/contract';

/** The row id of an id of the API. Throws code 3 when it is empty, and `notFound` for an id that no row can have. */
export function toID(text: string, resource: string): number {
  const id = Number(text);
  if (id === 0) throw refusal('NOT_CHOSEN', { resource });
  if (!Number.isSafeInteger(id) || id <= 0) throw notFound(resource, text);
  return id;
}

/** For lookups: an id that no row can have finds none. */
export function toRowID(text: string): number {
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : -1;
}

/** For filters: '' and '0' mean none, which is undefined. */
export function toFilterID(text: string): number | undefined {
  return text === '' || text === '0' ? undefined : toRowID(text);
}

/** A UUID as the 16 bytes by which network servers know it. */
export function uuidBytes(text: string): Uint8Array {
  return Uint8Array.fromHex(text.replaceAll('-', ''));
}

/** The reverse; '' for no bytes. */
export function uuidText(bytes: Uint8Array): string {
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
