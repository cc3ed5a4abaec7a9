import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { integration } from '@hilltop/protobuf';
import { systemClock } from '../clock.ts';
import { createMetrics } from '../metrics.ts';
import { insertAPIKey, newAPIKey } from '../resources/api-key/store.ts';
import { databases } from '../testing/databases.ts';
import { createAPIKey } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watchDisk } from './disk.ts';
import { evaluate } from './evaluate.ts';
import { ConditionEvaluation } from './evaluation.ts';
import { dayMs, hourMs, minuteMs } from './evaluation-context.ts';

/** A clock that a test moves; `set` moves the time of day only. */
function movableClock() {
  let [aheadMs, setMs] = [0, 0];
  return {
    clock: {
      ...systemClock,
      now: () => new Date(Date.now() + aheadMs + setMs),
      monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    },
    pass: (ms: number) => {
      aheadMs += ms;
    },
    set: (ms: number) => {
      setMs += ms;
    },
  };
}

interface Bench {
  setClock: (ms: number) => void;
  app: TestApp;
  field: FieldContext;
  devEUI: string;
  gatewayID: string;
  now: () => Date;
  device: (columns: object) => Promise<unknown>;
}

/** What happens, how much time passes then, and whether the condition is true afterwards. */
type Step = readonly [happens: (bench: Bench) => Promise<unknown>, minutes: number, isTrue: boolean];

const nothing = () => Promise.resolve();
const uplink = ({ device, now }: Bench) => device({ last_seen_at: now(), seen_mark: now() });
const refusal = async ({ app, devEUI, now }: Bench) => {
  const at = now().getTime();
  await app.parts.database.query
    .insertInto('last_error')
    .values({ dev_eui: devEUI, kind: integration.ErrorType.numbers.OTAA, at, seq: 0, payload: '{}', count: 1 })
    .onConflict((on) =>
      on.columns(['dev_eui', 'kind']).doUpdateSet((row) => ({
        at,
        second_at: row.ref('last_error.at'),
        third_at: row.ref('last_error.second_at'),
      })),
    )
    .execute();
};
const outage = ({ app, gatewayID, now }: Bench) =>
  app.parts.database.query
    .insertInto('gateway_outage')
    .values({ gateway_id: gatewayID, started_at: now(), reason: 'no PULL_DATA for 90 s' })
    .execute();
const traffic = ({ app, now }: Bench) =>
  app.parts.database.query
    .updateTable('gateway_outage')
    .set({ ended_at: now() })
    .where('ended_at', 'is', null)
    .execute();
const downlinks =
  (ok: number, refused: number) =>
  ({ app, gatewayID, now }: Bench) => {
    const at = now().getTime();
    const counters = JSON.stringify({ tx_status_OK: ok, tx_status_TOO_LATE: refused });
    const rows = (['HOUR', 'MINUTE'] as const).map((interval) => ({
      subject: `gateway:${gatewayID}`,
      interval,
      start: at - (at % (interval === 'HOUR' ? hourMs : minuteMs)),
      counters,
    }));
    return app.parts.database.query
      .insertInto('metric')
      .values(rows)
      .onConflict((on) => on.columns(['subject', 'interval', 'start']).doUpdateSet({ counters }))
      .execute();
  };
const health =
  (state: 'HEALTHY' | 'DEGRADED' | 'SUSPENDED') =>
  async ({ app, field, now }: Bench) => {
    const { query } = app.parts.database;
    const of = query.selectFrom('integration').select('id').where('application_id', '=', Number(field.applicationID));
    if (!(await of.executeTakeFirst()))
      await app.call(operations.application.createHTTPIntegration, {
        integration: { applicationID: field.applicationID, eventEndpointURL: 'http://192.0.2.1/', marshaler: 'JSON' },
      });
    const { id } = await of.executeTakeFirstOrThrow();
    const row = { state, since: now(), reason: state === 'HEALTHY' ? '' : 'HTTP status 500' };
    const others = { position: '0', pos: 0, done_ahead: '[]', revision: 1, from_at: new Date(0), keep_order: true };
    const values = { max_in_flight: 1, failing_since: null, last_success_at: null, ...others, ...row };
    // The server may create the row at the same time.
    await query
      .insertInto('integration_state')
      .values({ integration_id: id, ...values })
      .onConflict((conflict) => conflict.column('integration_id').doUpdateSet(values))
      .execute();
  };

const expired = async ({ app, field, now }: Bench) => {
  const { query } = app.parts.database;
  const of = query.selectFrom('integration').select('id').where('application_id', '=', Number(field.applicationID));
  const { id } = await of.executeTakeFirstOrThrow();
  const at = now().getTime();
  const row = { subject: `integration:${id}`, interval: 'HOUR' as const, start: at - (at % hourMs) };
  await query
    .insertInto('metric')
    .values({ ...row, counters: '{"delivered":5,"expired":2}' })
    .execute();
};

const lost = (bits: string) => (bench: Bench) => bench.device({ lost_bits: Number.parseInt(bits, 2) });
const codec = (bits: number) => (bench: Bench) => bench.device({ codec_error_bits: bits });
const status =
  (margin: number, previous_margin: number | null) =>
  ({ device }: Bench) =>
    device({ margin, previous_margin });
const battery =
  (battery_level: number | null, external_power_source = false) =>
  ({ device }: Bench) =>
    device({ battery_level, external_power_source });

const hour = 60;
const scenarios: Readonly<Record<string, readonly Step[]>> = {
  // The profile has an interval of one hour.
  DEVICE_SILENT: [
    [uplink, 119, false],
    [nothing, 2, true],
    [nothing, 24 * hour, true],
    [uplink, 1, false],
  ],
  NEVER_JOINED: [
    [nothing, 23.9 * hour, false],
    [nothing, 0.2 * hour, true],
    [({ device, now }) => device({ joined_at: now() }), 1, false],
  ],
  JOIN_REFUSED: [
    [refusal, 20, false],
    [refusal, 20, false],
    [refusal, 1, true],
    // The pauses between requests become longer.
    [refusal, 3 * hour, true],
    [refusal, 1, true],
    [({ device, now }) => device({ joined_at: now() }), 1, false],
  ],
  LOSS: [
    [lost('1111111111'), 1, false],
    [lost('11111111111'), 1, true],
    [lost('11111'), 1, true],
    [lost('1111'), 1, false],
    [lost('1111111111'), 1, false],
  ],
  LOW_BATTERY: [
    [battery(20), 1, false],
    [battery(19.9), 1, true],
    [battery(24), 1, true],
    [battery(25), 1, false],
    [battery(21), 1, false],
    [battery(5), 1, true],
    [battery(null, true), 1, false],
  ],
  LOW_MARGIN: [
    [status(-1, 4), 1, false],
    [status(-1, -1), 1, true],
    [status(2, -1), 1, true],
    [status(3, 2), 1, false],
    [status(-1, 3), 1, false],
  ],
  CODEC_ERRORS: [
    [codec(0b10001), 1, false],
    [codec(0b10011), 1, true],
    [codec(0b01100), 1, true],
    [codec(0b11000), 1, false],
  ],
  GATEWAY_OFFLINE: [
    [outage, 4.9, false],
    [nothing, 0.2, true],
    [traffic, 1, true],
    // It goes offline again: the condition has lasted.
    [outage, 1, true],
    [traffic, 2.1, false],
  ],
  GATEWAY_FLAPPING: [
    ...[1, 2, 3].flatMap((): Step[] => [
      [outage, 10, false],
      [traffic, 10, false],
    ]),
    [outage, 1, true],
    [traffic, 23 * hour, true],
    [nothing, 2 * hour, false],
  ],
  GATEWAY_NEVER_SEEN: [
    [nothing, 23.9 * hour, false],
    [nothing, 0.2 * hour, true],
    [
      ({ app, gatewayID, now }) =>
        app.parts.database.query.updateTable('gateway').set({ heard_at: now() }).where('id', '=', gatewayID).execute(),
      1,
      false,
    ],
  ],
  GATEWAY_REFUSES: [
    [downlinks(3, 6), 1, false],
    [downlinks(16, 4), hour + 1, false],
    [downlinks(7, 3), 1, true],
    [downlinks(60, 9), hour + 1, false],
  ],
  SINGLE_GATEWAY: [
    [
      ({ device, gatewayID, now }) => device({ sole_gateway: gatewayID, sole_since: now().getTime() }),
      23 * hour,
      false,
    ],
    [uplink, 2 * hour, true],
    [({ device }) => device({ sole_gateway: '' }), 1, false],
  ],
  INTEGRATION_FAILING: [
    [health('DEGRADED'), 9.9, false],
    [nothing, 0.2, true],
    [health('HEALTHY'), 1, false],
    [health('SUSPENDED'), 0, true],
    [health('HEALTHY'), 1, false],
    [expired, 1, true],
    [nothing, 25 * hour, false],
  ],
  KEY_EXPIRES: [
    [
      ({ app, field, now }) =>
        app.parts.database.query
          .insertInto('api_key')
          .values({
            id: crypto.randomUUID(),
            name: 'station',
            is_admin: false,
            organization_id: Number(field.organizationID),
            application_id: null,
            created_at: now(),
            expires_at: new Date(now().getTime() + 15 * dayMs),
          })
          .execute(),
      1,
      false,
    ],
    [nothing, 24 * hour, true],
    [nothing, 15 * 24 * hour, false],
  ],
};

const setClock = (hours: number) => async (bench: Bench) => bench.setClock(hours * hourMs);
/** Of the conditions that depend on time, while the clock is set. At the end it is right again. */
const clockScenarios: typeof scenarios = {
  DEVICE_SILENT: [
    [uplink, 110, false],
    [setClock(-3), 9, false],
    [nothing, 2, true],
    [setClock(-40), 1, true],
    [setClock(43), 1, true],
    [uplink, 1, false],
  ],
  NEVER_JOINED: [
    [setClock(48), 23.9 * hour, false],
    [setClock(-48), 0.2 * hour, true],
    [setClock(-30), 1, true],
    [setClock(30), 1, true],
  ],
  GATEWAY_OFFLINE: [
    [outage, 1, false],
    [setClock(48), 8, false],
    [nothing, 2, true],
    [traffic, 1, true],
    [setClock(48), 0, true],
    [nothing, 1.1, false],
    [setClock(-96), 0, false],
  ],
  GATEWAY_FLAPPING: [
    ...[1, 2, 3].flatMap((): Step[] => [
      [outage, 10, false],
      [traffic, 10, false],
    ]),
    [outage, 1, true],
    [setClock(30 * 24), 22 * hour, true],
    [nothing, 3 * hour, false],
    [setClock(-30 * 24), 0, false],
  ],
  GATEWAY_NEVER_SEEN: [
    [setClock(48), 23.9 * hour, false],
    [setClock(-48), 0.2 * hour, true],
    [setClock(-30), 1, true],
    [setClock(30), 1, true],
  ],
  GATEWAY_REFUSES: [
    [downlinks(7, 3), 1, true],
    [setClock(48), 30, true],
    [nothing, 32, false],
    [setClock(-48), 0, false],
  ],
  INTEGRATION_FAILING: [
    [health('DEGRADED'), 1, false],
    [setClock(48), 8, false],
    [nothing, 2, true],
    [setClock(-96), 1, true],
    [setClock(48), 1, true],
    [health('HEALTHY'), 1, false],
  ],
  JOIN_REFUSED: [
    [refusal, 1, false],
    [setClock(48), 1, false],
    [refusal, 1, false],
    [refusal, 1, true],
    [setClock(-48), 1, true],
  ],
};

/** What the clock skips counts as little when it is then set back by more. */
const setBackByMoreScenarios: typeof scenarios = {
  DEVICE_SILENT: [
    [uplink, 1, false],
    [setClock(3), 1, false],
    [setClock(-6), 105, false],
    [nothing, 15, true],
    [setClock(3), 1, true],
  ],
  GATEWAY_OFFLINE: [
    [outage, 1, false],
    [setClock(1), 1, false],
    [setClock(-2), 2, false],
    [nothing, 2, true],
    [setClock(1), 1, true],
  ],
};

for (const kind of databases) {
  describe(`conditions on ${kind}`, () => {
    const time = movableClock();
    let app: TestApp;
    before(async () => {
      const started = await startTestApp(kind, {}, { clock: time.clock });
      // Sessions end while time passes.
      const { token: key } = await createAPIKey(started, { isAdmin: true, name: 'test' });
      app = { ...started, call: (operation, input, token = key) => started.call(operation, input, token) };
    });
    after(() => app[Symbol.asyncDispose]());

    const openIn = async (organizationID: string, condition?: string) => {
      await app.parts.conditions.evaluate();
      const rows = await app.parts.database.query
        .selectFrom('condition')
        .selectAll()
        .where('organization_id', '=', Number(organizationID))
        .execute();
      return rows.filter((row) => condition === undefined || row.condition === condition);
    };

    async function prepare(): Promise<Bench> {
      const field = await createSurroundings(app);
      const devEUI = await createDevice(app, field);
      const gatewayID = await createGateway(app, field.organizationID);
      return {
        ...{ app, field, devEUI, gatewayID, now: time.clock.now, setClock: time.set },
        device: (columns) =>
          app.parts.database.query.updateTable('device').set(columns).where('dev_eui', '=', devEUI).execute(),
      };
    }

    const tables = [
      ...Object.entries(scenarios).map((entry) => ['as its table says', ...entry] as const),
      ...Object.entries(clockScenarios).map(
        (entry) => ['by the time that passes while the clock is set', ...entry] as const,
      ),
      ...Object.entries(setBackByMoreScenarios).map(
        (entry) => ['by the time that passes while the clock is set forward and then back by more', ...entry] as const,
      ),
    ];
    for (const [how, condition, steps] of tables)
      it(`${condition} begins and ends ${how}`, async () => {
        const bench = await prepare();
        const ids = new Set<string>();
        for (const [number, [happens, minutes, isTrue]] of steps.entries()) {
          await happens(bench);
          time.pass(minutes * minuteMs);
          const open = await openIn(bench.field.organizationID, condition);
          assert.equal(open.length > 0, isTrue, `after step ${number + 1}`);
          for (const { id } of open) ids.add(id);
        }
        // Values around the threshold open it once.
        const begins = steps.filter(([, , isTrue], index) => isTrue && !steps[index - 1]?.[2]).length;
        assert.equal(ids.size, begins);
      });

    it('a copied integration waits for its secrets without failing, and can fail once it was resumed', async () => {
      const bench = await prepare();
      await health('HEALTHY')(bench);
      const { applicationID: integrationsFrom, organizationID } = bench.field;
      const { application } = await app.call(operations.application.get, { id: integrationsFrom });
      const copy = { application: { ...application, name: 'copy' }, integrationsFrom };
      const { id: applicationID } = await app.call(operations.application.create, copy);
      await app.parts.delivery.refresh();
      assert.deepEqual(await openIn(organizationID), []);
      time.pass(minuteMs);
      await app.call(operations.delivery.resume, { applicationID, kind: 'HTTP' });
      await app.call(operations.delivery.suspend, { applicationID, kind: 'HTTP' });
      const open = await openIn(organizationID);
      assert.deepEqual(
        open.map((row) => [row.condition, row.application_id]),
        [['INTEGRATION_FAILING', Number(applicationID)]],
      );
    });

    it('a disabled device has none, a moved one follows its organization, a deleted one loses them', async () => {
      const [bench, other] = [await prepare(), await prepare()];
      const { organizationID } = bench.field;
      await bench.device({ battery_level: 3 });
      assert.deepEqual(
        (await openIn(organizationID)).map(({ condition, subject_id, detail }) => [condition, subject_id, detail]),
        [['LOW_BATTERY', bench.devEUI, '{"value":3}']],
      );
      const { applicationID } = other.field;
      await bench.device({ application_id: Number(applicationID) });
      assert.deepEqual(await openIn(organizationID), []);
      const moved = await openIn(other.field.organizationID);
      assert.deepEqual(
        moved.map(({ application_id }) => application_id),
        [Number(applicationID)],
      );
      await bench.device({ is_disabled: true });
      assert.deepEqual(await openIn(other.field.organizationID), []);
      await bench.device({ is_disabled: false });
      assert.equal((await openIn(other.field.organizationID)).length, 1);
      await app.call(operations.device.delete, { devEUI: bench.devEUI });
      assert.deepEqual(await openIn(other.field.organizationID), []);
    });

    it('a clock that is set forward, or a stop of the server, causes no silence', async () => {
      const bench = await prepare();
      await uplink(bench);
      assert.deepEqual(await openIn(bench.field.organizationID), []);
      time.set(30 * hourMs);
      assert.deepEqual(await openIn(bench.field.organizationID), []);
      // An uplink may have been sent meanwhile: it may take one interval longer.
      time.pass(2.9 * hourMs);
      assert.deepEqual(await openIn(bench.field.organizationID), []);
      time.pass(0.2 * hourMs);
      assert.deepEqual(
        (await openIn(bench.field.organizationID)).map(({ condition }) => condition),
        ['DEVICE_SILENT'],
      );
      time.set(-30 * hourMs);
    });

    it('a key that is created or changed to expire soon needs attention from then on', async () => {
      const { field, now } = await prepare();
      const { organizationID } = field;
      const { query } = app.parts.database;
      const inDays = (days: number) => new Date(now().getTime() + days * dayMs);
      const create = (days: number) => {
        const scope = { is_admin: false, organization_id: Number(organizationID), application_id: null };
        return insertAPIKey(app.parts.database, newAPIKey({ ...scope, name: 'x', expires_at: inDays(days) }, now()));
      };
      const change = (id: string, days: number) => {
        const expiry = { expires_at: inDays(days), expiry_set_at: now() };
        return query.updateTable('api_key').set(expiry).where('id', '=', id).execute();
      };
      const sinceOf = async (id: string) =>
        (await openIn(organizationID, 'KEY_EXPIRES')).find(({ subject_id }) => subject_id === id)?.since;
      const isNow = (since: number | undefined) => Math.abs((since ?? 0) - now().getTime()) < minuteMs;
      assert.ok(isNow(await sinceOf(await create(1))));
      const long = await create(90);
      time.pass(hourMs);
      assert.equal(await sinceOf(long), undefined);
      await change(long, 2);
      assert.ok(isNow(await sinceOf(long)));
      await change(long, 15);
      time.pass(2 * dayMs);
      assert.ok(Math.abs((await sinceOf(long))! - (now().getTime() - dayMs)) < minuteMs);
    });

    it('the disk is almost full below 10 %, until 12 % are free', async () => {
      const { database } = app.parts;
      // Its timer would report the real disk.
      await app.parts.conditions.stop();
      let bavail = 0;
      const problems = watchDisk('/data', () => Promise.resolve({ bavail, blocks: 1000 }));
      const parts = { ...app.parts, clock: time.clock, metrics: createMetrics() };
      const evaluation = new ConditionEvaluation({
        ...{ ...parts, problems },
        evaluate: (request) => evaluate({ query: database.query, kind }, request),
      });
      const ids = new Set<string>();
      const freeThat = async (perMille: number) => {
        bavail = perMille;
        await evaluation.evaluate();
        const query = database.query.selectFrom('condition').selectAll();
        const [open] = await query.where('condition', '=', 'DISK_LOW').execute();
        if (open) ids.add(open.id);
        return open?.detail;
      };
      assert.equal(await freeThat(100), undefined);
      assert.equal(await freeThat(99), '{"value":9.9}');
      assert.equal(await freeThat(119), '{"value":11.9}');
      assert.equal(ids.size, 1);
      assert.equal(await freeThat(120), undefined);
      assert.equal(await freeThat(101), undefined);
    });

    it('opens a condition once when two evaluations run at the same time', async () => {
      const bench = await prepare();
      await bench.device({ battery_level: 3 });
      await Promise.all([app.parts.conditions.evaluate(), app.parts.conditions.evaluate()]);
      assert.equal((await openIn(bench.field.organizationID)).length, 1);
    });

    it('does not count the time in which no server ran', async () => {
      const bench = await prepare();
      const seenAt = time.clock.now().getTime();
      await uplink(bench);
      const { query } = app.parts.database;
      const isSilent = async (hours: number) => {
        const stop = { from: seenAt + hourMs / 2, to: seenAt + 20 * hourMs };
        const at = { now: seenAt + hours * hourMs, interruptions: [stop], stops: [stop], steps: [], ahead: [] };
        const request = { time: at, problems: [], mostStored: 10_000 };
        const { upserts } = await evaluate({ query, kind }, request);
        const rows = upserts.flatMap((list) => JSON.parse(list) as { condition: string; subject_id: string }[]);
        return rows.some((row) => row.condition === 'DEVICE_SILENT' && row.subject_id === bench.devEUI);
      };
      // Half an hour before the stop, and two and a half after it: an uplink may have been sent in between.
      assert.deepEqual([await isSilent(22.4), await isSilent(22.6)], [false, true]);
    });

    it('stores the worst of each organization in turn, and counts the others', async () => {
      await using source = await startTestApp(kind, {}, { clock: time.clock });
      const fields = [await createSurroundings(source), await createSurroundings(source)];
      for (const [index, level] of [1, 2, 3, 4].entries()) {
        const devEUI = await createDevice(source, fields[index === 3 ? 1 : 0]!);
        const { query } = source.parts.database;
        await query.updateTable('device').set({ battery_level: level }).where('dev_eui', '=', devEUI).execute();
      }
      const { query } = source.parts.database;
      const request = { time: source.parts.serverRuns.time(), problems: [], mostStored: 2 };
      const { upserts, omitted, opened } = await evaluate({ query, kind }, request);
      const rows = JSON.parse(upserts[0]!) as { detail: string }[];
      assert.deepEqual(rows.map(({ detail }) => detail).toSorted(), ['{"value":1}', '{"value":4}']);
      assert.equal(opened, 2);
      assert.deepEqual(JSON.parse(omitted), { LOW_BATTERY: { [fields[0]!.organizationID]: 2 } });
    });
  });
}
