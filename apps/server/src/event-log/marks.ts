import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** The precision of the times of events. */
const markEveryMs = 600_000;

/** The newest position at a time, recorded every ten minutes by the steady time. */
export class EventMarks {
  readonly #query: Kysely<Tables>;

  constructor(query: Kysely<Tables>) {
    this.#query = query;
  }

  /** The newest position at that time; 0 before the first mark. */
  async positionAt(atMs: number): Promise<number> {
    const { pos } = await this.#query
      .selectFrom('event_mark')
      .select(({ fn }) => fn.max('pos').as('pos'))
      .where('at', '<=', Math.floor(atMs))
      .executeTakeFirstOrThrow();
    return Number(pos ?? 0);
  }

  async add(atMs: number, pos: number): Promise<void> {
    const { at } = await this.#query
      .selectFrom('event_mark')
      .select(({ fn }) => fn.max('at').as('at'))
      .executeTakeFirstOrThrow();
    if (at !== null && Math.abs(atMs - Number(at)) < markEveryMs) return;
    await this.#query
      .insertInto('event_mark')
      .values({ at: Math.round(atMs), pos })
      .execute();
  }

  /** Removes marks before that time except the last one, which has the position of that time. */
  async removeBefore(atMs: number): Promise<void> {
    const marks = this.#query.selectFrom('event_mark').where('at', '<=', Math.floor(atMs));
    await this.#query
      .deleteFrom('event_mark')
      .where(
        'at',
        '<',
        marks.select(({ fn }) => fn.max('at').as('at')),
      )
      .execute();
  }
}
