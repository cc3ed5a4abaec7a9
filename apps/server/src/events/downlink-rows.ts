import type { DownlinkState, DownlinkStep } from '@hilltop/contract';
import type { DownlinkStep as ReportedStep } from '@hilltop/network-server';
import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Tables } from '../database/tables.ts';
import type { AppendedRow } from '../event-log/event-log.ts';
import { insertOwnEventFrom } from '../event-log/log.ts';
import type { Secrets } from '../secrets.ts';

export type DownlinkRow = Selectable<Tables['downlink']>;
export type StepName = ReportedStep | 'QUEUED' | 'FLUSHED';
/** A stored step; what is unknown is left out. */
export type StoredStep = { at: number; step: StepName } & Partial<Omit<DownlinkStep, 'at' | 'step'>>;

/** The most stored downlinks of a device, and their retention. */
const mostPerDevice = 1000;
export const keptMs = 30 * 86_400_000;
/** The most rows that one enqueue removes. */
const mostRemoved = 100;
/** The first steps of a downlink are stored, and those that end it. */
const mostSteps = 60;

/** How a step changes a downlink, as SQL. */
interface StepRule {
  state: string;
  /** Absent: it keeps the reason of the request. */
  reason?: string;
  isOpen?: string;
  /** Only then. */
  when?: string;
}

const dropped = (reason: string): StepRule => ({ state: `'DROPPED'`, reason, isOpen: 'false' });
const ended = (state: DownlinkState): StepRule => ({ state: `'${state}'`, reason: '', isOpen: 'false' });

const rules: Record<Exclude<StepName, 'QUEUED'>, StepRule> = {
  SENDING: { state: `'SENDING'`, reason: '' },
  // The answer of a gateway can be the last thing that is heard of a downlink.
  SENT: {
    state: `case when state in ('ACKNOWLEDGED', 'UNACKNOWLEDGED') then state else 'SENT' end`,
    reason: '',
    isOpen: 'is_open and confirmed',
    when: 'true',
  },
  GATEWAY_REFUSED: { state: `case when state = 'SENDING' then 'QUEUED' else state end` },
  // Class B and C: a missing gateway is noticed every minute.
  NO_GATEWAY: { state: 'state', reason: 'NO_GATEWAY', when: `is_open and last_step <> 'NO_GATEWAY'` },
  DUTY_CYCLE: { state: 'state', reason: 'DUTY_CYCLE', when: `is_open and last_step <> 'DUTY_CYCLE'` },
  ACKNOWLEDGED: ended('ACKNOWLEDGED'),
  UNACKNOWLEDGED: ended('UNACKNOWLEDGED'),
  EXPIRED: ended('EXPIRED'),
  CANCELED: ended('CANCELED'),
  TOO_LARGE: dropped('TOO_LARGE'),
  REJOINED: dropped('REJOINED'),
  SESSION_REPLACED: dropped('SESSION_REPLACED'),
  FLUSHED: { ...dropped('FLUSHED'), state: `case when state = 'SENT' then state else 'DROPPED' end` },
};

export type ChangedDownlink = Pick<DownlinkRow, 'id' | 'state' | 'reason' | 'f_port'>;

type FurtherStep = Exclude<StepName, 'QUEUED'>;

const advanceColumns = { id: 'text', devEUI: 'text', fCnt: 'int8', line: 'text', reason: 'text' } as const;

/** SQL whose parameters are `advanceColumns`. */
function advanceBy(step: FurtherStep): string {
  const { state, reason, isOpen = 'is_open', when = 'is_open' } = rules[step];
  const isEnd = isOpen === 'false';
  const line = isEnd ? '$line' : `case when step_count < ${mostSteps} then $line else '' end`;
  return `update downlink set state = ${state}, reason = ${reason === undefined ? '$reason' : `'${reason}'`},
    is_open = ${isOpen}, f_cnt = $fCnt, attempts = attempts + ${step === 'SENDING' ? 1 : 0},
    steps = steps || ${line}, step_count = step_count + 1, last_step = '${step}'
    where id = $id and dev_eui = $devEUI and ${when}
    returning id, state, reason, f_port`;
}

const forEachStep = <Declared>(declare: (step: FurtherStep) => Declared) =>
  Object.fromEntries((Object.keys(rules) as FurtherStep[]).map((step) => [step, declare(step)])) as Record<
    FurtherStep,
    Declared
  >;

const advances = forEachStep((step) => statement<ChangedDownlink>()({ sql: advanceBy(step), given: advanceColumns }));

/** What only the database knows of the event is between these texts: port, state and reason. */
const stepPayload = `$beforePort::text || changed.f_port || $beforeState::text || to_json(changed.state)
  || ',"reason":' || to_json(coalesce(nullif(changed.reason, ''), $reason)) || '}'`;

/** The same, and the event of the history, in one round trip. */
const advancesWithEvent = forEachStep((step) =>
  statement<AppendedRow>()({
    sql: `with changed as (${advanceBy(step)}), ${insertOwnEventFrom('changed', { type: 'downlink', payload: stepPayload })}`,
    given: { ...advanceColumns, beforePort: 'text', beforeState: 'text', now: 'int8' },
    only: 'postgres',
  }),
);

interface Advance {
  id: string;
  devEUI: string;
  fCnt: number;
  step: StoredStep & { step: FurtherStep };
}

const givenOf = ({ id, devEUI, fCnt, step }: Advance) => ({
  ...{ id, devEUI, fCnt, reason: step.reason ?? '' },
  line: `${JSON.stringify({ fCnt, ...step })}\n`,
});

/** Stores a step; answers undefined when the downlink is unknown or the step changes nothing. */
export const advanceDownlink = (database: Database, advance: Advance): Promise<ChangedDownlink | undefined> =>
  advances[advance.step.step](database).first(givenOf(advance));

/** The same on PostgreSQL with the event of the history, in one statement. Answers the row of that event. */
export function advanceWithEvent(database: Database, advance: Advance, now: number) {
  const details = stepPayloadOf({ fCnt: advance.fCnt, ...advance.step });
  const beforePort = `{"publishedAt":"${new Date(advance.step.at).toISOString()}","id":"${advance.id}","fPort":`;
  const beforeState = `,${JSON.stringify(details).slice(1, -1)},"state":`;
  return advancesWithEvent[advance.step.step](database).first({ ...givenOf(advance), beforePort, beforeState, now });
}

/** What the event of the history says about a step, besides the reason. Bytes are base64, as in the payloads of events. */
export function stepPayloadOf({ at: _at, reason: _reason, gatewayID, ...details }: StoredStep): object {
  return { ...details, ...(gatewayID && { gatewayID: Uint8Array.fromHex(gatewayID).toBase64() }) };
}

const dataPurpose = (id: string) => `downlink.data:${id}`;

const insertRow = statement()({
  sql: `insert into downlink (id, dev_eui, created_at, f_port, confirmed, data, origin, reference, state, f_cnt,
      expires_at, steps)
    values ($id, $devEUI, $at, $fPort, $confirmed, $data, $origin, $reference, 'QUEUED', $fCnt, $expiresAt, $steps)`,
  given: {
    id: 'text',
    devEUI: 'text',
    at: 'int8',
    fPort: 'int8',
    confirmed: 'bool',
    data: 'bytea',
    origin: 'text',
    reference: 'text',
    fCnt: 'int8',
    expiresAt: 'int8?',
    steps: 'text',
  },
});

export interface QueuedDownlink {
  id: string;
  devEUI: string;
  at: number;
  fPort: number;
  fCnt: number;
  confirmed: boolean;
  data: Uint8Array;
  origin: string;
  /** Who queued it. */
  by: string;
  reference: string;
  expiresAt: number | null;
}

export async function insertDownlink(
  database: Database,
  secrets: Pick<Secrets, 'seal'>,
  { data, by, ...downlink }: QueuedDownlink,
): Promise<void> {
  const { id, at, fCnt } = downlink;
  const step: StoredStep = { at, step: 'QUEUED', fCnt, ...(by !== '' && { by }) };
  const sealed = secrets.seal(data, dataPurpose(id));
  await insertRow(database).run({ ...downlink, data: sealed, steps: `${JSON.stringify(step)}\n` });
}

export const dataOf = (secrets: Pick<Secrets, 'open'>, { id, data }: Pick<DownlinkRow, 'id' | 'data'>): Uint8Array =>
  secrets.open(data, dataPurpose(id));

/** The open downlinks of a device, the first queued first. */
export function openDownlinks({ query }: Database, devEUI: string): Promise<Pick<DownlinkRow, 'id' | 'f_cnt'>[]> {
  return query
    .selectFrom('downlink')
    .select(['id', 'f_cnt'])
    .where('dev_eui', '=', devEUI)
    .where('is_open', '=', true)
    .orderBy('id')
    .execute();
}

const closedDownlinks = ({ query }: Pick<Database, 'query'>) =>
  query.selectFrom('downlink').select('id').where('is_open', '=', false);

/** Removes ended downlinks of all devices that are too old; answers how many. */
export async function removeOldDownlinks(database: Pick<Database, 'query'>, now: number): Promise<number> {
  const old = closedDownlinks(database)
    .where('id', '<', idPrefix(now - keptMs))
    .orderBy('id')
    .limit(mostRemoved);
  for (let removed = 0; ; ) {
    const { numDeletedRows } = await database.query.deleteFrom('downlink').where('id', 'in', old).executeTakeFirst();
    removed += Number(numDeletedRows);
    if (numDeletedRows < mostRemoved) return removed;
  }
}

const removeBeyond = statement()({
  sql: `delete from downlink where id in (
      select id from downlink
      where dev_eui = $devEUI and not is_open and id < (
        select id from downlink where dev_eui = $devEUI order by id desc limit 1 offset ${mostPerDevice - 1}
      )
      order by id limit ${mostRemoved}
    )`,
  given: { devEUI: 'text' },
});

/** Removes the oldest ended downlinks of a device beyond its limit; answers how many. */
export const removeDownlinksBeyond = (database: Database, devEUI: string): Promise<number> =>
  removeBeyond(database).run({ devEUI });

/** Ids begin with their time, so that they have its order. */
export const idPrefix = (at: number): string => Math.max(0, at).toString(16).padStart(12, '0');
