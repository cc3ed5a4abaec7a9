import type { Kysely } from 'kysely';
import { unpackEvents } from './block.ts';
import { FieldList, type KnownFields } from './field-list.ts';
import { fieldValuesOf } from './field-values.ts';
import type { HistoryEvent } from './part.ts';
import { addToDay, dayOf, packDay, type SeriesDay, unpackDay } from './series-day.ts';
import type { HistoryTables } from './tables.ts';

/** What a row needs besides its packed values. */
export const seriesOverhead = 60;

interface SeriesOwner {
  readonly devEUI: string;
  /** Rows up to this position of the log are of an earlier device with the same DevEUI. */
  readonly from: number;
}

interface OpenDay {
  readonly day: number;
  readonly values: SeriesDay;
  readonly storedBytes: number;
  firstPos: number | undefined;
  lastPos: number;
}

/** Adds the values of events of one device to its series, in the transaction that seals the events. */
export class SeriesWriter {
  readonly #query: Kysely<HistoryTables>;
  readonly #owner: SeriesOwner;
  readonly #fields: FieldList;
  readonly #omittedBefore: number;
  /** Undefined: the values of all days. */
  readonly #days: ReadonlySet<number> | undefined;
  #firstPos: number | undefined;
  #day: OpenDay | undefined;
  #bytes = 0;

  private constructor(
    query: Kysely<HistoryTables>,
    owner: SeriesOwner,
    { stored, days }: { stored?: StoredFields | undefined; days?: ReadonlySet<number> },
  ) {
    this.#query = query;
    this.#days = days;
    this.#owner = owner;
    this.#fields = new FieldList(stored?.known);
    this.#omittedBefore = stored?.known.omitted ?? 0;
    this.#firstPos = stored?.from_pos;
  }

  /** A device without series gets those of its sealed events. */
  static async open(query: Kysely<HistoryTables>, owner: SeriesOwner): Promise<SeriesWriter> {
    const stored = await storedFieldsOf(query, owner);
    const writer = new SeriesWriter(query, owner, { stored });
    if (!stored) await writer.#addSealed();
    return writer;
  }

  /** Computes the fields of a device and some of its days again, from its sealed events. */
  static async rebuild(
    query: Kysely<HistoryTables>,
    owner: SeriesOwner,
    days: ReadonlySet<number>,
  ): Promise<{ bytes: number }> {
    const writer = new SeriesWriter(query, owner, { days });
    await writer.#addSealed();
    return await writer.finish();
  }

  async add(event: HistoryEvent, pos: number): Promise<void> {
    const values = fieldValuesOf(event);
    this.#firstPos ??= pos;
    if (values.length === 0) return;
    const accepted = values.filter((value) => this.#fields.accept(value, event.at));
    if (this.#days?.has(dayOf(event.at)) === false) return;
    const day = await this.#open(dayOf(event.at));
    day.firstPos ??= pos;
    day.lastPos = pos;
    for (const { field, value } of accepted) addToDay(day.values, event.at, field, value);
  }

  /** Answers by how many bytes the series have grown, and how many values were omitted. */
  async finish(): Promise<{ bytes: number; omitted: number }> {
    await this.#write();
    const known = this.#fields.all();
    if (this.#firstPos !== undefined) {
      const row = { dev_eui: this.#owner.devEUI, from_pos: this.#firstPos, fields: JSON.stringify(known) };
      await this.#query
        .insertInto('series_device')
        .values(row)
        .onConflict((conflict) => conflict.column('dev_eui').doUpdateSet(row))
        .execute();
    }
    return { bytes: this.#bytes, omitted: known.omitted - this.#omittedBefore };
  }

  async #addSealed(): Promise<void> {
    const { devEUI, from } = this.#owner;
    const own = this.#query.selectFrom('event_block').where('dev_eui', '=', devEUI).where('from_pos', '>', from);
    const blocks = await own.select('id').orderBy('to_at').orderBy('to_seq').execute();
    for (const { id } of blocks) {
      const block = this.#query.selectFrom('event_block').select(['to_pos', 'bytes']).where('id', '=', id);
      const { to_pos, bytes } = await block.executeTakeFirstOrThrow();
      for (const event of unpackEvents(bytes)) await this.add(event, to_pos);
    }
  }

  async #open(day: number): Promise<OpenDay> {
    if (this.#day?.day === day) return this.#day;
    await this.#write();
    const { devEUI, from } = this.#owner;
    const stored = await this.#query
      .selectFrom('series_day')
      .select(['from_pos', 'to_pos', 'bytes'])
      .where('dev_eui', '=', devEUI)
      .where('day', '=', day)
      .executeTakeFirst();
    const storedBytes = stored ? stored.bytes.length + seriesOverhead : 0;
    this.#day =
      stored && stored.from_pos > from
        ? { day, storedBytes, values: unpackDay(stored.bytes), firstPos: stored.from_pos, lastPos: stored.to_pos }
        : { day, storedBytes, values: new Map(), firstPos: undefined, lastPos: 0 };
    return this.#day;
  }

  async #write(): Promise<void> {
    if (this.#day?.firstPos === undefined) return;
    const { day, values, storedBytes, firstPos, lastPos } = this.#day;
    this.#day = undefined;
    const bytes = packDay(values);
    this.#bytes += bytes.length + seriesOverhead - storedBytes;
    const row = { dev_eui: this.#owner.devEUI, day, from_pos: firstPos, to_pos: lastPos, bytes };
    await this.#query
      .insertInto('series_day')
      .values(row)
      .onConflict((conflict) => conflict.columns(['dev_eui', 'day']).doUpdateSet(row))
      .execute();
  }
}

interface StoredFields {
  readonly from_pos: number;
  readonly known: KnownFields;
}

export async function storedFieldsOf(
  query: Kysely<HistoryTables>,
  { devEUI, from }: SeriesOwner,
): Promise<StoredFields | undefined> {
  const stored = query.selectFrom('series_device').select(['from_pos', 'fields']).where('dev_eui', '=', devEUI);
  const row = await stored.where('from_pos', '>', from).executeTakeFirst();
  return row && { from_pos: row.from_pos, known: JSON.parse(row.fields) as KnownFields };
}
