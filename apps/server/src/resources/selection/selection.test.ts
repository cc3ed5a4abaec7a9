import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  deviceCounts,
  deviceFilters,
  type Filter,
  type FilterFields,
  filterMoment,
  formatFilter,
  gatewayCounts,
  gatewayFilters,
  gatewayOnlineMs,
  operatorsOf,
} from '@hilltop/contract';
import { integration } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import { createTestDatabase, databases } from '../../testing/databases.ts';
import { insertDeviceRows, insertGatewayRows, insertListOwners, type ListOwners } from '../../testing/listed-rows.ts';
import { seeded } from '../../testing/seeded.ts';
import { countBySubtraction } from '../device/count.ts';
import { deviceCountsOf } from '../device/counts.ts';
import type { DeviceSelection } from '../device/filters.ts';
import { listDevices } from '../device/list.ts';
import { gatewayCountsOf } from '../gateway/counts.ts';
import { readFilters } from '../list-filters.ts';
import { selectedDevEUIs, selectedGatewayIDs } from './selected-keys.ts';

const now = new Date('2026-11-27T12:00:00Z');
const minuteMs = 60_000;
const random = seeded(27);
const below = (count: number) => Math.floor(random() * count);
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
const maybe = <T>(value: T): T | null => (random() < 0.3 ? null : value);

const hostile = [
  'a',
  'A',
  '',
  '%',
  '_',
  ':',
  '|',
  '\\',
  '"',
  '🙂',
  'é',
  'a:b|c\\d',
  '{"x":"y"}',
  '","site":"a',
  'north',
  'North',
];
const tagNames = ['site', 'a:b', 'x.y', '🙂', '\\', '"', '%', 'z"a\\', 'a\\'];
const ago = (minutes: number) => new Date(now.getTime() - minutes * minuteMs);
const tagsOf = () => Object.fromEntries(tagNames.filter(() => random() < 0.4).map((name) => [name, pick(hostile)]));

/** What a list knows of a row, by the fields of its filters. */
type Facts = Record<string, unknown> & { key: string; tags: Record<string, string>; states: string[] };

const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The meaning of filters, told without a database. */
function matches(facts: Facts, { field, key, operator, values }: Filter): boolean {
  if (operator === 'not') return !matches(facts, { field, key, operator: 'is', values });
  if (operator === 'unset') return !matches(facts, { field, key, operator: 'set', values });
  if (field === 'state') return values.some((value) => facts.states.includes(value));
  const value = field === 'tag' ? facts.tags[key] : facts[field];
  if (value === undefined || value === null || value === false) return false;
  const given = value instanceof Date ? value.getTime() : value;
  const wanted = values.map((one) => {
    if (value instanceof Date) return filterMoment(one, now.getTime());
    return typeof value === 'number' ? Number(one) : one;
  });
  switch (operator) {
    case 'is':
      return wanted.includes(given as string);
    case 'has':
      return values.some((one) => lower(String(given as string | number)).includes(lower(one)));
    case 'lt':
    case 'before':
      return wanted.some((one) => given < one);
    case 'gt':
      return wanted.some((one) => given > one);
    case 'after':
      return wanted.some((one) => given >= one);
    default:
      return true;
  }
}

/** A random filter of a field, with values that some rows have. */
function randomFilter(fields: FilterFields, rows: readonly Facts[]): Filter {
  const [field, declared] = pick(Object.entries(fields));
  const operator = pick(operatorsOf(declared));
  const key = declared.isKeyed ? pick(tagNames) : '';
  const valueIn = (row: Facts): string => {
    if (declared.kind === 'choice') return pick(Object.keys(declared.choices ?? {}));
    if (declared.kind === 'text') return random() < 0.5 ? (row.tags[key] ?? '') : pick(hostile);
    const value = row[field];
    if (declared.kind === 'time') return value instanceof Date ? value.toISOString() : pick(['90m', '2d', '1h']);
    return value === null || value === undefined || value === '' ? '7' : String(value as string | number);
  };
  const count = operator === 'set' || operator === 'unset' ? 0 : 1 + below(2);
  const isUUID = declared.kind === 'uuid';
  const values = Array.from({ length: count }, () => valueIn(pick(rows))).map((value) =>
    isUUID && value === '7' ? '00000000-0000-4000-8000-000000000000' : value,
  );
  return { field, key, operator, values };
}

async function keysOf(pages: AsyncGenerator<string[]>): Promise<string[]> {
  return (await Array.fromAsync(pages)).flat();
}

for (const kind of databases) {
  describe(`the filters of lists on ${kind}`, () => {
    let database: Database & AsyncDisposable;
    let owners: ListOwners;
    let devices: (Facts & { organizationID: number })[];
    let gateways: (Facts & { organizationID: number })[];
    before(async () => {
      database = await createTestDatabase(kind);
      owners = await insertListOwners(database, now);
      devices = await insertDevices(database, owners);
      gateways = await insertGateways(database, owners);
    });
    after(() => database[Symbol.asyncDispose]());

    it('find the devices that a naive filter finds, with every field and operator', async () => {
      const tried = new Set<string>();
      for (let run = 0; run < 400; run++) {
        const filters = Array.from({ length: 1 + below(2) }, () => randomFilter(deviceFilters, devices));
        const texts = filters.map(formatFilter);
        for (const { field, operator } of filters) tried.add(`${field}:${operator}`);
        const organizationID = pick([undefined, owners.organizations[0]!.id]);
        const selection: DeviceSelection = { organizationID, search: '', filters: readFilters(deviceFilters, texts) };
        const found = await keysOf(selectedDevEUIs(database, selection, now, { perPage: 37 }));
        const expected = devices
          .filter((row) => organizationID === undefined || row.organizationID === organizationID)
          .filter((row) => filters.every((filter) => matches(row, filter)));
        assert.deepEqual(found, expected.map((row) => row.key).sort(), texts.join(' '));
      }
      const every = Object.entries(deviceFilters).flatMap(([field, declared]) =>
        operatorsOf(declared).map((operator) => `${field}:${operator}`),
      );
      assert.deepEqual([...tried].sort(), every.sort());
    });

    it('find the gateways that a naive filter finds', async () => {
      for (let run = 0; run < 200; run++) {
        const filters = Array.from({ length: 1 + below(2) }, () => randomFilter(gatewayFilters, gateways));
        const texts = filters.map(formatFilter);
        const organizationIDs = pick([undefined, [owners.organizations[0]!.id]]);
        const selection = { organizationIDs, search: '', filters: readFilters(gatewayFilters, texts) };
        const found = await keysOf(selectedGatewayIDs(database, selection, now, { perPage: 7 }));
        const expected = gateways
          .filter((row) => !organizationIDs || organizationIDs.includes(row.organizationID))
          .filter((row) => filters.every((filter) => matches(row, filter)));
        assert.deepEqual(found, expected.map((row) => row.key).sort(), texts.join(' '));
      }
    });

    it('are counted by subtraction as by a naive filter', async () => {
      const tags = ['tag.site:not:north|A', 'tag.x.y:not:%'];
      const states = ['active', 'inactive', 'neverSeen', 'active|neverSeen', 'inactive|neverSeen'];
      let counted = 0;
      for (const state of [[], ...states.flatMap((one) => [[`state:is:${one}`], [`state:not:${one}`]])])
        for (const tag of [[], ...tags.map((one) => [one]), tags])
          for (const organizationID of [undefined, owners.organizations[0]!.id]) {
            const filters = readFilters(deviceFilters, [...tag, ...state]);
            const found = await countBySubtraction(database, { organizationID, search: '', filters }, now);
            if (found === undefined) continue;
            counted += 1;
            const expected = devices
              .filter((row) => organizationID === undefined || row.organizationID === organizationID)
              .filter((row) => filters.every((filter) => matches(row, filter)));
            assert.equal(found, expected.length, [...tag, ...state].join(' '));
          }
      assert.equal(counted, kind === 'postgres' ? 88 : 22);
    });

    it('count what the lists of the counts show, of all devices and of those that match', async () => {
      const organizationID = owners.organizations[0]!.id;
      for (const filter of [[], ['battery:lt:60', 'tag.site:set'], ['tag.site:has:a']]) {
        const selection = { organizationID, search: '', filters: readFilters(deviceFilters, filter) };
        const listed = async (more: string[]) => {
          const filters = readFilters(deviceFilters, [...filter, ...more]);
          const needs = { database, statistics: { readMany: async () => new Map() } };
          const page = { ...selection, filters, limit: 5, offset: 0, orderBy: '', include: [], now } as const;
          return Number((await listDevices(needs, page)).totalCount);
        };
        const expected: Record<string, number> = { all: await listed([]) };
        for (const [name, count] of Object.entries(deviceCounts)) expected[name] = await listed([count.filter]);
        assert.deepEqual(await deviceCountsOf(database, selection, now), expected);
        assert.ok(expected['all']! > 0 && expected['joinRefused']! > 0);
      }
      const counts = await gatewayCountsOf(database, { organizationIDs: undefined, search: '', filters: [] }, now);
      const expected = Object.entries(gatewayCounts).map(([name, { filter }]) => {
        const [parsed] = readFilters(gatewayFilters, [filter]);
        return [name, gateways.filter((row) => matches(row, parsed!)).length];
      });
      assert.deepEqual(counts, { all: gateways.length, ...Object.fromEntries(expected) });
    });

    it('refuse a selection with too many rows', async () => {
      const selection = { search: '', filters: [] };
      const keys = keysOf(selectedDevEUIs(database, selection, now, { most: 100, perPage: 50 }));
      await assert.rejects(keys, { message: 'More than 100 devices match. Narrow the selection with a filter.' });
    });
  });
}

/** Devices with random facts, around the limits of each state. */
async function insertDevices(database: Database, { organizations, networkServerID }: ListOwners) {
  const errors: { dev_eui: string; kind: number; at: number; seq: number; payload: string; count: number }[] = [];
  const kinds = integration.ErrorType.numbers;
  const made = Array.from({ length: 240 }, (_, index) => {
    const devEUI = index.toString(16).padStart(16, '0');
    const organization = pick(organizations);
    const profile = pick(organization.profiles);
    const seenAt = maybe(ago(pick([1, 30, 89.5, 91, 300, 2159.5, 2161, 5000])));
    // The mark may lag behind.
    const mark = seenAt && new Date(seenAt.getTime() - below(2) * 59_000);
    const refusedAt = maybe(ago(pick([10, 200, 4000])));
    const codecErrorAt = maybe(ago(pick([5, 1439, 1441, 9000])));
    const addError = (at: Date | null, error: number) =>
      at && errors.push({ dev_eui: devEUI, kind: error, at: at.getTime(), seq: 1, payload: '{}', count: 1 });
    addError(refusedAt, kinds.OTAA);
    addError(codecErrorAt, pick([kinds.UPLINK_CODEC, kinds.DOWNLINK_CODEC]));
    addError(ago(1), kinds.UPLINK_MIC);
    const row = {
      dev_eui: devEUI,
      application_id: pick(organization.applicationIDs),
      device_profile_id: profile.id,
      tags: tagsOf(),
      last_seen_at: seenAt,
      seen_mark: mark,
      battery_level: maybe(pick([0, 19.6, 20, 55, 100])),
      external_power_source: random() < 0.2,
      margin: maybe(pick([-20, 0, 7])),
      dr: maybe(below(6)),
      loss: maybe(pick([0, 2.5, 40])),
      dev_addr: pick(['', '01020304']),
      is_disabled: pick([true, false, null]),
    };
    const isActive = seenAt !== null && now.getTime() - seenAt.getTime() <= 1.5 * profile.intervalMs;
    const isRefused = refusedAt !== null && refusedAt.getTime() > (seenAt?.getTime() ?? 0) && !isActive;
    const states = [
      seenAt === null ? 'neverSeen' : isActive ? 'active' : 'inactive',
      ...(row.is_disabled ? ['disabled'] : []),
      ...(isRefused ? ['joinRefused'] : []),
    ];
    const facts = {
      ...{ key: devEUI, organizationID: organization.id, states, tags: row.tags, lastSeenAt: seenAt },
      ...{ application: String(row.application_id), profile: profile.id, margin: row.margin, dr: row.dr },
      ...{ serviceProfile: organization.serviceProfileID, networkServer: String(networkServerID) },
      battery: row.external_power_source ? null : row.battery_level,
      errors: codecErrorAt !== null && codecErrorAt >= ago(24 * 60),
      joined: row.dev_addr !== '',
      loss: seenAt && (row.loss ?? 0),
    };
    return { row, facts };
  });
  await insertDeviceRows(
    database,
    made.map(({ row }) => row),
    now,
  );
  for (let at = 0; at < errors.length; at += 100)
    await database.query
      .insertInto('last_error')
      .values(errors.slice(at, at + 100))
      .execute();
  return made.map(({ facts }) => facts);
}

async function insertGateways(database: Database, { organizations, networkServerID, gatewayProfileID }: ListOwners) {
  const made = Array.from({ length: 60 }, (_, index) => {
    const organization = pick(organizations);
    const seenAt = maybe(ago(pick([1, 4, 6, 600])));
    const row = {
      id: index.toString(16).padStart(16, 'f'),
      organization_id: organization.id,
      network_server_id: networkServerID,
      gateway_profile_id: maybe(gatewayProfileID),
      tags: tagsOf(),
      last_seen_at: seenAt,
    };
    const isOnline = seenAt !== null && now.getTime() - seenAt.getTime() <= gatewayOnlineMs;
    const facts = {
      ...{ key: row.id, organizationID: organization.id, tags: row.tags, lastSeenAt: seenAt },
      states: [seenAt === null ? 'neverSeen' : isOnline ? 'online' : 'offline'],
      ...{ networkServer: String(networkServerID), gatewayProfile: row.gateway_profile_id },
    };
    return { row, facts };
  });
  await insertGatewayRows(
    database,
    made.map(({ row }) => row),
    now,
  );
  return made.map(({ facts }) => facts);
}
