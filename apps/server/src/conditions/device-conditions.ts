import { type ConditionName, conditions } from '@hilltop/contract/conditions';
import { integration } from '@hilltop/protobuf';
import { type RawBuilder, sql } from 'kysely';
import { elapsedSince } from '../database/elapsed-time.ts';
import { isInList } from '../database/in-list.ts';
import {
  dayMs,
  type EvaluationContext,
  type FoundCondition,
  hasLasted,
  hourMs,
  isOpen,
  keyOf,
  minuteMs,
  msOf,
} from './evaluation-context.ts';
import type { ConditionDetail } from './tables.ts';

const { DEVICE_SILENT, LOSS, LOW_BATTERY, LOW_MARGIN, CODEC_ERRORS, NEVER_JOINED, JOIN_REFUSED } = conditions;

/** One statement reads so many devices, so that other calls of the worker wait for a fraction of a second. */
const devicesPerRange = 10_000;
/** Of `device.lost_bits`. */
const expectedUplinks = 50;
/** Fewer lost uplinks neither begin nor hold a condition. */
const fewestLost = (LOSS.parameters.endPercent * expectedUplinks) / 100;
/** The bits of the last three uplinks in `device.codec_error_bits`. */
const lastThree = 0b111;

/** Of a device that has sent only one uplink. */
const unknownGapMs = dayMs;

interface DeviceMarks {
  dev_eui: string;
  application_id: number;
  organization_id: number;
  interval_ms: number;
  seen_ms: number | null;
  usual_gap_ms: number | null;
  lost_bits: number;
  codec_error_bits: number;
  margin: number | null;
  previous_margin: number | null;
  battery: number | null;
  is_unjoined: boolean | number;
}

type DeviceRule = (device: DeviceMarks, context: EvaluationContext) => Partial<FoundCondition> | undefined;

/** Whether a device that was silent has sent nothing since, and is expected to send as often. */
function isStillSilent(context: EvaluationContext, subjectID: string, found: { since: number; value: number }) {
  if (!hasLasted(context, 'DEVICE_SILENT', { subjectID, since: found.since })) return false;
  const { detail } = context.open.get(keyOf('DEVICE_SILENT', subjectID))!;
  return (JSON.parse(detail) as ConditionDetail).value === found.value;
}

/** What makes a condition of a device true, and keeps it true while it is open. */
const rules = {
  DEVICE_SILENT: ({ dev_eui, seen_ms: seenAt, interval_ms: intervalMs, usual_gap_ms: usualGapMs }, context) => {
    if (seenAt === null) return undefined;
    const { intervals, usualGaps, leastMinutes } = DEVICE_SILENT.parameters;
    const gapMs = intervalMs > 0 ? intervalMs : (usualGapMs ?? unknownGapMs / usualGaps);
    const windowMs = intervalMs > 0 ? intervals * gapMs : Math.max(leastMinutes * minuteMs, usualGaps * gapMs);
    const { ms, missedMs } = elapsedSince(context.time, seenAt);
    const found = { since: seenAt, value: Math.round(gapMs) };
    // An uplink may have been sent while none could be received.
    const isSilent = ms > windowMs + (missedMs > 0 ? gapMs : 0);
    return isSilent || isStillSilent(context, dev_eui, found) ? found : undefined;
  },
  LOSS: ({ dev_eui, lost_bits: bits }, context) => {
    const percent = (100 * countOfBits(bits)) / expectedUplinks;
    const { lostPercent, endPercent } = LOSS.parameters;
    const isLossy = isOpen(context, 'LOSS', dev_eui) ? percent >= endPercent : percent > lostPercent;
    return isLossy ? { value: percent } : undefined;
  },
  LOW_BATTERY: ({ dev_eui, battery }, context) => {
    const { percent, endPercent } = LOW_BATTERY.parameters;
    const limit = isOpen(context, 'LOW_BATTERY', dev_eui) ? endPercent : percent;
    return battery !== null && battery < limit ? { value: battery } : undefined;
  },
  LOW_MARGIN: ({ dev_eui, margin, previous_margin: previous }, context) => {
    if (margin === null) return undefined;
    const { margin: limit, endMargin } = LOW_MARGIN.parameters;
    const isLow = margin < limit && previous !== null && previous < limit;
    const isStillLow = isOpen(context, 'LOW_MARGIN', dev_eui) && margin < endMargin;
    return isLow || isStillLow ? { value: margin } : undefined;
  },
  CODEC_ERRORS: ({ dev_eui, codec_error_bits: bits }, context) => {
    const failed = countOfBits(bits);
    const isStillFailing = isOpen(context, 'CODEC_ERRORS', dev_eui) && (bits & lastThree) !== 0;
    return failed >= CODEC_ERRORS.parameters.failed || isStillFailing ? { value: failed } : undefined;
  },
} satisfies Record<string, DeviceRule>;
const ruleNames = Object.keys(rules) as (keyof typeof rules)[];

/** Up to 53 bits. */
function countOfBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}

export async function* deviceConditions(context: EvaluationContext): AsyncGenerator<FoundCondition> {
  const { kind, open } = context;
  const lasting = new Set<string>();
  for await (const range of rangesOf(context)) {
    for await (const found of conditionsOf(context, await candidatesIn(context, range))) {
      if (timedConditions.includes(found.condition)) lasting.add(keyOf(found.condition, found.subjectID));
      yield found;
    }
  }
  // By the clock, these are not old enough: they ended, or the clock was set back.
  const perhapsEnded = [...open]
    .filter(([key, { condition }]) => timedConditions.includes(condition) && !lasting.has(key))
    .map(([, { subject_id }]) => subject_id);
  for (let from = 0; from < perhapsEnded.length; from += devicesPerRange) {
    const part = isInList(kind, 'device.dev_eui', perhapsEnded.slice(from, from + devicesPerRange));
    for await (const found of conditionsOf(context, await devicesIn(context, part)))
      if (timedConditions.includes(found.condition) && !lasting.has(keyOf(found.condition, found.subjectID)))
        yield found;
  }
  yield* joinRefused(context);
}

/** Those that begin after a time without anything. */
const timedConditions: readonly ConditionName[] = ['DEVICE_SILENT', 'NEVER_JOINED'];

async function* conditionsOf(
  context: EvaluationContext,
  devices: readonly DeviceMarks[],
): AsyncGenerator<FoundCondition> {
  for (const device of devices) {
    const { dev_eui: subjectID, organization_id: organizationID, application_id: applicationID } = device;
    for (const condition of ruleNames) {
      const found = rules[condition](device, context);
      if (found) yield { condition, subjectID, organizationID, applicationID, ...found };
    }
  }
  yield* neverJoined(
    context,
    devices.filter((one) => Boolean(one.is_unjoined)),
  );
}

/** All devices in parts: on SQLite in the order of the file, in which they are read ten times as fast. */
async function* rangesOf({ query, kind }: EvaluationContext): AsyncGenerator<RawBuilder<boolean>> {
  if (kind === 'sqlite') {
    const { last } = await query
      .selectFrom('device')
      .select(sql<number | null>`max(rowid)`.as('last'))
      .executeTakeFirstOrThrow();
    for (let after = 0; after < (last ?? 0); after += devicesPerRange)
      yield sql`device.rowid > ${after} and device.rowid <= ${after + devicesPerRange}`;
    return;
  }
  for (let after: string | undefined = ''; after !== undefined; ) {
    const last: { dev_eui: string } | undefined = await query
      .selectFrom('device')
      .select('dev_eui')
      .where('dev_eui', '>', after)
      .orderBy('dev_eui')
      .offset(devicesPerRange - 1)
      .limit(1)
      .executeTakeFirst();
    const until = last ? sql`and device.dev_eui <= ${last.dev_eui}` : sql``;
    yield sql`device.dev_eui > ${after} ${until}`;
    after = last?.dev_eui;
  }
}

/** `x & (x - 1)` is a number without its lowest bit. */
function withoutLowestBits(count: number): string {
  const rest = count === 0 ? 'device.lost_bits' : withoutLowestBits(count - 1);
  return count === 0 ? rest : `(${rest} & (${rest} - 1))`;
}

const batteryLevel = sql<number | null>`case when device.external_power_source then null else device.battery_level end`;
const isUnjoined = sql<boolean>`(device.dev_addr = '' and device.joined_at is null)`;

/** The devices of a range whose marks may fulfil a rule. A time that is ahead is from before the clock was set back. */
function candidatesIn(context: EvaluationContext, range: RawBuilder<boolean>): Promise<DeviceMarks[]> {
  const { now } = context.time;
  const seen = msOf(context.kind, 'device.last_seen_at');
  const created = msOf(context.kind, 'device.created_at');
  const { intervals, usualGaps, leastMinutes } = DEVICE_SILENT.parameters;
  const isSilent = sql<boolean>`(${seen} > ${now} or ${seen} < ${now} - case
    when device_profile.uplink_interval_ms > 0 then ${sql.lit(intervals)} * device_profile.uplink_interval_ms
    when ${sql.lit(usualGaps)} * device.usual_gap_ms > ${sql.lit(leastMinutes * minuteMs)} then ${sql.lit(usualGaps)} * device.usual_gap_ms
    else ${sql.lit(leastMinutes * minuteMs)} end)`;
  const isLossy = sql<boolean>`${sql.raw(withoutLowestBits(fewestLost - 1))} <> 0`;
  const joinedLate = sql<boolean>`(${isUnjoined}
    and (${created} > ${now} or ${created} <= ${now - NEVER_JOINED.parameters.hours * hourMs}))`;
  return devicesIn(
    context,
    sql`${range} and (${isSilent} or ${isLossy} or device.codec_error_bits <> 0
      or device.margin < ${sql.lit(LOW_MARGIN.parameters.endMargin)}
      or ${batteryLevel} < ${sql.lit(LOW_BATTERY.parameters.endPercent)} or ${joinedLate})`,
  );
}

function devicesIn({ query, kind }: EvaluationContext, which: RawBuilder<boolean>): Promise<DeviceMarks[]> {
  return query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .innerJoin('device_profile', 'device_profile.id', 'device.device_profile_id')
    .select([
      'device.dev_eui',
      'device.application_id',
      'application.organization_id',
      'device_profile.uplink_interval_ms as interval_ms',
      'device.usual_gap_ms',
      'device.lost_bits',
      'device.codec_error_bits',
      'device.margin',
      'device.previous_margin',
      msOf(kind, 'device.last_seen_at').as('seen_ms'),
      batteryLevel.as('battery'),
      isUnjoined.as('is_unjoined'),
    ])
    .where(which)
    .where(sql<boolean>`not coalesce(device.is_disabled, false)`)
    .execute();
}

async function* neverJoined(
  context: EvaluationContext,
  devices: readonly DeviceMarks[],
): AsyncGenerator<FoundCondition> {
  if (devices.length === 0) return;
  const { query, kind } = context;
  const keys = await query
    .selectFrom('device_keys')
    .select(['dev_eui', msOf(kind, 'device_keys.created_at').$notNull().as('set_ms')])
    .where(
      isInList(
        kind,
        'device_keys.dev_eui',
        devices.map(({ dev_eui }) => dev_eui),
      ),
    )
    .execute();
  const setAt = new Map(keys.map(({ dev_eui, set_ms }) => [dev_eui, set_ms]));
  for (const { dev_eui: subjectID, organization_id: organizationID, application_id: applicationID } of devices) {
    const since = setAt.get(subjectID);
    if (since === undefined) continue;
    const isLate = elapsedSince(context.time, since).ms >= NEVER_JOINED.parameters.hours * hourMs;
    if (!isLate && !hasLasted(context, 'NEVER_JOINED', { subjectID, since })) continue;
    yield { condition: 'NEVER_JOINED', subjectID, organizationID, applicationID, since };
  }
}

const longestReason = 200;

async function* joinRefused(context: EvaluationContext): AsyncGenerator<FoundCondition> {
  const { query, kind } = context;
  const { OTAA } = integration.ErrorType.numbers;
  const refused = await query
    .selectFrom('last_error')
    .innerJoin('device', 'device.dev_eui', 'last_error.dev_eui')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select([
      'last_error.dev_eui',
      'device.application_id',
      'application.organization_id',
      'last_error.at',
      'last_error.third_at',
      'last_error.count',
      'last_error.payload',
    ])
    .where('last_error.kind', '=', OTAA)
    .where('last_error.third_at', 'is not', null)
    .where(sql<boolean>`not coalesce(device.is_disabled, false)`)
    .where(sql<boolean>`last_error.at > coalesce(${msOf(kind, 'device.last_seen_at')}, 0)`)
    .where(sql<boolean>`last_error.at > coalesce(${msOf(kind, 'device.joined_at')}, 0)`)
    .execute();
  for (const { dev_eui: subjectID, application_id, organization_id, at, third_at, count, payload } of refused) {
    const ms = elapsedSince(context.time, third_at!).ms - elapsedSince(context.time, at).ms;
    const isOften = ms <= JOIN_REFUSED.parameters.withinMinutes * minuteMs;
    const before = context.open.get(`JOIN_REFUSED ${subjectID}`);
    if (!isOften && !before) continue;
    const { error } = JSON.parse(payload) as { error?: string };
    yield {
      condition: 'JOIN_REFUSED',
      subjectID,
      organizationID: organization_id,
      applicationID: application_id,
      since: before?.since ?? third_at!,
      value: count,
      text: error?.slice(0, longestReason),
    };
  }
}
