import { mostFields, ownFieldOf } from '@hilltop/contract/own-fields';
import type { FieldValue } from './field-values.ts';
import { dayMs } from './series-day.ts';

/** A field of a device with its last value. */
export interface KnownField {
  field: string;
  kind: FieldValue['kind'];
  since: number;
  lastAt: number;
  lastValue: number;
  quantity?: string;
  unit?: string;
}

/** The fields of a device, as stored. */
export interface KnownFields {
  fields: KnownField[];
  /** Values of fields beyond the limit, and the first such field. */
  omitted: number;
  omittedField: string;
}

/** A field without values for so long gives its place to a new one. */
const silentMs = dayMs;

/** The fields of a device that have series: our own, and a limited number of decoded ones. */
export class FieldList {
  readonly #known: Map<string, KnownField>;
  #decoded: number;
  #omitted: number;
  #omittedField: string;

  constructor({ fields, omitted, omittedField }: KnownFields = { fields: [], omitted: 0, omittedField: '' }) {
    this.#known = new Map(fields.map((one) => [one.field, { ...one }]));
    this.#decoded = fields.filter(({ field }) => !ownFieldOf(field)).length;
    this.#omitted = omitted;
    this.#omittedField = omittedField;
  }

  /** Stores the value as the last one of its field. False: the device has too many fields. */
  accept({ field, value, kind, quantity }: FieldValue, at: number): boolean {
    let known = this.#known.get(field);
    if (!known) {
      const isOwn = ownFieldOf(field) !== undefined;
      if (!isOwn && this.#decoded >= mostFields && !this.#dropSilent(at)) {
        this.#omitted += 1;
        this.#omittedField ||= field;
        return false;
      }
      if (!isOwn) this.#decoded += 1;
      known = { field, kind, since: at, lastAt: at, lastValue: value };
      this.#known.set(field, known);
    }
    known.kind = kind;
    known.lastAt = at;
    known.lastValue = value;
    if (quantity) Object.assign(known, quantity);
    return true;
  }

  all(): KnownFields {
    return { fields: [...this.#known.values()], omitted: this.#omitted, omittedField: this.#omittedField };
  }

  #dropSilent(at: number): boolean {
    for (const [field, { lastAt }] of this.#known)
      if (at - lastAt > silentMs && !ownFieldOf(field)) {
        this.#known.delete(field);
        this.#decoded -= 1;
        return true;
      }
    return false;
  }
}
