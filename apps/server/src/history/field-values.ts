import type { EventNote } from '@hilltop/contract';
import { longestField, type OwnFieldName } from '@hilltop/contract/own-fields';
import { isMeasured, type Quantity } from '@hilltop/contract/quantity';
import type { HistoryEvent } from './part.ts';

/** A number or boolean that an event has. */
export interface FieldValue {
  readonly field: string;
  readonly value: number;
  readonly kind: 'number' | 'boolean';
  /** From the codec. */
  readonly quantity?: Quantity | undefined;
}

const deepest = 8;
const longestArray = 8;
/** The most values of one event. */
const mostValues = 256;

/** The values of an event. An uplink that a user sent as the device has none. */
export function fieldValuesOf({ type, payload, note: noteJSON }: Pick<HistoryEvent, 'type' | 'payload' | 'note'>) {
  const values: FieldValue[] = [];
  const add = (field: OwnFieldName, value: number | undefined) => {
    if (typeof value === 'number' && Number.isFinite(value)) values.push({ field, value, kind: 'number' });
  };
  if (type === 'up') {
    const note = (noteJSON ? JSON.parse(noteJSON) : {}) as EventNote;
    if (note.simulated) return values;
    add('@uplinks', 1);
    add('@rssi', note.bestRSSI);
    add('@snr', note.bestSNR);
    add('@gateways', note.gatewayCount);
    add('@dr', numberIn(payload, 'dr'));
    add('@airtime', note.airtimeMs);
    const { lost, lostWhileStopped } = note;
    add('@lost', lost === undefined ? undefined : lost - (lostWhileStopped ?? 0));
    add('@stopped', lostWhileStopped);
    if (note.counterReset) add('@resets', 1);
    addDecoded(values, decodedIn(payload), note.quantities ?? {});
  } else if (type === 'status') {
    const { batteryLevel, batteryLevelUnavailable, externalPowerSource, margin } = JSON.parse(payload) as Status;
    if (!batteryLevelUnavailable && !externalPowerSource) add('@battery', batteryLevel ?? 0);
    add('@margin', margin ?? 0);
  } else if (type === 'error') add('@errors', 1);
  else if (type === 'join') add('@joins', 1);
  return values;
}

interface Status {
  readonly batteryLevel?: number;
  readonly batteryLevelUnavailable?: boolean;
  readonly externalPowerSource?: boolean;
  readonly margin?: number;
}

/** Sums of larger values would not be numbers any more. */
const largestValue = 1e300;

/** Names that begin with @ are our own. A request cannot name a field with control characters. */
const isFieldName = (name: string) =>
  name !== '' && name.length <= longestField && !name.startsWith('@') && !/\p{Cc}|\p{Cs}/u.test(name);

function addDecoded(values: FieldValue[], decoded: unknown, quantities: Readonly<Record<string, Quantity>>): void {
  const most = values.length + mostValues;
  const visit = (value: unknown, path: readonly string[], unit: string): void => {
    if (values.length >= most) return;
    if (typeof value === 'number' || typeof value === 'boolean') {
      const field = path.join('.');
      if (!isFieldName(field) || Math.abs(Number(value)) > largestValue) return;
      const fromCodec = Object.hasOwn(quantities, field) ? quantities[field] : undefined;
      const quantity = fromCodec ?? (unit === '' ? undefined : { quantity: '', unit });
      values.push({ field, value: Number(value), kind: typeof value === 'number' ? 'number' : 'boolean', quantity });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    if (isMeasured(value)) return visit(value.value, path, value.unit);
    if (path.length === deepest) return;
    if (Array.isArray(value) && (value.length > longestArray || value.some((one) => typeof one !== 'number'))) return;
    for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name], unit);
  };
  visit(decoded, [], '');
}

/**
 * Members of the payload are cut out of its JSON: parsing all of it takes five times as long, and sealing reads every
 * event. The first name is that of the member, because no map comes before `objectJSON`.
 */
function numberIn(payload: string, name: string): number | undefined {
  const found = payload.indexOf(`"${name}":`);
  return found < 0 ? undefined : Number.parseFloat(payload.slice(found + name.length + 3, found + name.length + 27));
}

function decodedIn(payload: string): unknown {
  const name = '"objectJSON":';
  const found = payload.indexOf(name);
  if (found < 0) return undefined;
  const from = found + name.length;
  let end = from + 1;
  while (end < payload.length && payload[end] !== '"') end += payload[end] === '\\' ? 2 : 1;
  try {
    return JSON.parse(JSON.parse(payload.slice(from, end + 1)) as string);
  } catch {
    return undefined;
  }
}
