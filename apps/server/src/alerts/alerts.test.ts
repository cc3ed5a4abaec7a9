import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  type AlertRule,
  type AlertValue,
  type ConditionName,
  conditionOf,
  operations,
  type PartOf,
} from '@hilltop/contract';
import { createFakeClock, type FakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { ClockSteps } from '../database/elapsed-time.ts';
import { createMailer } from '../mail/mailer.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import {
  admins,
  describeAccess,
  everyUser,
  type PrincipalName,
  readers,
  row,
  type Side,
} from '../testing/access-matrix.ts';
import { databases } from '../testing/databases.ts';
import { createUser } from '../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../testing/field.ts';
import { mailPassword, startMailServer, type TestMailServer } from '../testing/mail-server.ts';
import { refused } from '../testing/refused.ts';
import { type Sink, startSink } from '../testing/sink.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';
import { Alerts } from './alerts.ts';

const { alertRule, alert, alertReceiver, mail } = operations;
const minute = 60_000;
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const smtpFrom = 'Hilltop <alerts@example.org>';
const publicURL = 'https://hilltop.example.org';

for (const kind of databases) {
  describe(`alerts on ${kind}`, () => {
    let app: TestApp;
    let smtp: TestMailServer;
    let sink: Sink;
    let clock: FakeClock;
    let steps: ClockSteps;
    let metrics: Metrics;
    let alerts: Alerts;
    let surroundings: FieldContext;
    let receiver: string;

    before(async () => {
      smtp = await startMailServer();
      sink = await startSink();
      app = await startTestApp(kind, { smtpURL: smtp.url, smtpFrom, publicURL });
      // These tests have a clock and rounds of their own.
      await app.parts.alerts.stop();
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      const { query } = app.parts.database;
      for (const table of ['alert_rule', 'alert_message', 'condition'] as const)
        await query.deleteFrom(table).execute();
      surroundings = await createSurroundings(app);
      const { organizationID } = surroundings;
      ({ email: receiver } = await createUser(app, { organizations: [{ organizationID }] }));
      smtp.mails.length = 0;
      smtp.reply = 250;
      sink.received.length = 0;
      sink.reply = () => ({ status: 200 });
      clock = createFakeClock(Date.now());
      steps = new ClockSteps(clock);
      metrics = createMetrics();
      alerts = await instance(metrics);
      await clock.advance(3 * minute);
    });

    /** What one instance with the lease does, without its timer. */
    async function instance(metricsOf = createMetrics()) {
      const { parts } = app;
      const mailer = createMailer({ smtpURL: smtp.url, smtpFrom, publicURL });
      const config = { ...parts.config, publicURL };
      const steadyTime = { now: () => clock.now().getTime() };
      const serverRuns = { time: () => steps.read() };
      return new Alerts({
        ...parts,
        serverRuns,
        steadyTime,
        config,
        clock,
        metrics: metricsOf,
        mailer,
        http: sink,
      });
    }

    /** A round every two seconds would do the same. */
    async function pass(minutes: number, which = alerts): Promise<void> {
      for (let at = 0; at < minutes; at += 1) {
        await clock.advance(minute);
        await which.round();
        await which.settled();
      }
    }

    const email = () => ({ kind: 'EMAIL' as const, addresses: [receiver] });
    const webhook = { kind: 'WEBHOOK' as const, url: 'https://hooks.example.org/a?key=query-secret', secret };

    async function createRule(rule: PartOf<AlertRule> = {}): Promise<string> {
      const { organizationID } = surroundings;
      const usual = { name: 'Gateways', isEnabled: true, condition: 'GATEWAY_OFFLINE', forMinutes: 10 } as const;
      const { id } = await app.call(alertRule.create, {
        alertRule: { ...usual, channels: [email()], ...rule, organizationID },
      });
      return id;
    }

    it('ask the history worker nothing while no rule is enabled', async (test) => {
      const asked = ['valueAlerts', 'conditionAlerts'] as const;
      const calls = asked.map((name) => test.mock.method(app.parts.history.alerts, name));
      await createRule({ isEnabled: false });
      await pass(1);
      assert.deepEqual(
        calls.map((call) => call.mock.callCount()),
        [0, 0],
      );
      await createRule();
      await pass(1);
      assert.deepEqual(
        calls.map((call) => call.mock.callCount()),
        [1, 1],
      );
    });

    const conditionRow = (condition: ConditionName, subjectID: string) => ({
      id: randomUUID(),
      condition,
      subject_kind: conditionOf(condition).subject,
      subject_id: subjectID,
      organization_id: Number(surroundings.organizationID),
      application_id: null,
      since: clock.now().getTime(),
      snoozed_until: null,
    });
    async function open(condition: ConditionName, subjectID: string, more: { snoozed_until?: number } = {}) {
      const values = { ...conditionRow(condition, subjectID), ...more };
      await app.parts.database.query.insertInto('condition').values(values).execute();
    }
    /** An alert of a rule on values, as its first value leaves it. */
    async function insertPending(ruleID: string, devEUI: string) {
      const { organizationID, applicationID } = surroundings;
      const subject = { subject_kind: 'DEVICE' as const, subject_id: devEUI, subject_name: '' };
      const none = { fired_at: null, cleared_at: null, acknowledged_at: null, resolved_at: null, notified_at: null };
      await app.parts.database.query
        .insertInto('alert')
        .values({
          ...{ ...subject, ...none, id: randomUUID(), rule_id: ruleID, state: 'PENDING', unsent: '', uplinks: 0 },
          ...{ organization_id: Number(organizationID), application_id: Number(applicationID) },
          ...{ since: clock.now().getTime(), value: 1 },
        })
        .execute();
    }
    const end = (subjectID: string) =>
      app.parts.database.query.deleteFrom('condition').where('subject_id', '=', subjectID).execute();

    const listed = async () => {
      const { organizationID } = surroundings;
      return (await app.call(alert.list, { organizationID, limit: 1000 })).result;
    };
    const states = async () => (await listed()).map(({ state }) => state);
    const subjects = () => smtp.mails.map(({ subject }) => subject);

    it('fire after the minutes of their rule, and resolve when the condition stays away', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await createRule({ channels: [email(), webhook] });
      await open('GATEWAY_OFFLINE', gatewayID);
      await pass(9);
      assert.deepEqual(await states(), ['PENDING']);
      assert.deepEqual(subjects(), []);
      await pass(1);
      assert.deepEqual(await states(), ['FIRING']);
      assert.equal(smtp.mails.length, 1);
      const [message] = smtp.mails;
      assert.match(message!.subject, /^\[Hilltop\] 1 gateway offline \(organization-\d+\)$/);
      assert.deepEqual(message!.to, [receiver]);
      assert.ok(message!.text.includes(`gateway-${gatewayID}`));
      assert.ok(message!.text.includes(`${publicURL}/organizations/${surroundings.organizationID}/alerts`));
      await end(gatewayID);
      await pass(5);
      assert.deepEqual(await states(), ['FIRING']);
      await pass(1);
      assert.deepEqual(await states(), ['RESOLVED']);
      assert.match(subjects()[1]!, /^\[Hilltop\] Resolved: 1 gateway offline/);
    });

    it('are sent to a webhook as signed JSON', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      const ruleID = await createRule({ channels: [webhook], forMinutes: 0 });
      await open('GATEWAY_OFFLINE', gatewayID);
      await pass(1);
      assert.equal(sink.received.length, 1);
      const { headers, body, path } = sink.received[0]!;
      const notification = JSON.parse(body.toString());
      assert.equal(path, '/a?key=query-secret');
      assert.equal(notification.id, headers['webhook-id']);
      assert.deepEqual(notification.rule, { id: ruleID, name: 'Gateways' });
      assert.equal(notification.condition, 'GATEWAY_OFFLINE');
      assert.equal(notification.state, 'FIRING');
      assert.equal(notification.detail, conditionOf('GATEWAY_OFFLINE').sentence);
      assert.deepEqual(
        notification.subjects.map(({ kind, id, name }: Record<string, string>) => [kind, id, name]),
        [['GATEWAY', gatewayID, `gateway-${gatewayID}`]],
      );
      const signed = createHmac('sha256', Buffer.alloc(24, 7))
        .update(`${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.`)
        .update(body)
        .digest('base64');
      assert.equal(headers['webhook-signature'], `v1,${signed}`);
      const { result } = await app.call(alertRule.listMessages, { id: ruleID, limit: 10 });
      assert.deepEqual(
        result.map(({ state, status, receiver: to }) => [state, status, to]),
        [['SENT', 200, 'https://hooks.example.org']],
      );
    });

    it('are repeated until somebody acknowledges them', async () => {
      await createRule({ forMinutes: 0, repeatHours: 24 });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(1);
      assert.equal(smtp.mails.length, 1);
      await clock.advance(23 * 60 * minute);
      await pass(1);
      assert.equal(smtp.mails.length, 1);
      await clock.advance(60 * minute);
      await pass(1);
      assert.equal(smtp.mails.length, 2);
      const { id } = (await listed())[0]!;
      await app.call(alert.acknowledge, { id, note: 'on my way' });
      await refused(9, app.call(alert.acknowledge, { id, note: 'again' }));
      const { state, note, acknowledgedBy } = (await listed())[0]!;
      assert.deepEqual([state, note, acknowledgedBy], ['ACKNOWLEDGED', 'on my way', 'admin@hilltop.local']);
      await clock.advance(48 * 60 * minute);
      await pass(1);
      assert.equal(smtp.mails.length, 2);
      await end('0000000000000001');
      await pass(7);
      assert.equal(smtp.mails.length, 3);
    });

    it('stay pending over a restart, and begin nothing right after it', async () => {
      await createRule({ forMinutes: 10 });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(5);
      const { id, since } = (await listed())[0]!;
      await clock.advance(30 * minute);
      const restarted = await instance();
      restarted.start();
      await restarted.round();
      assert.deepEqual(await states(), ['PENDING']);
      await pass(2, restarted);
      await restarted.stop();
      assert.deepEqual(
        (await listed()).map((one) => [one.id, one.since, one.state]),
        [[id, since, 'FIRING']],
      );
      assert.equal(smtp.mails.length, 1);
    });

    it('count the time that passes, not what the clock skips or repeats', async () => {
      const twoDays = 48 * 60 * minute;
      const ruleID = await createRule({ forMinutes: 10, repeatHours: 24, channels: [webhook] });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(5);
      clock.set(twoDays);
      await pass(4);
      assert.deepEqual(await states(), ['PENDING']);
      clock.set(-twoDays);
      await pass(1);
      assert.deepEqual(await states(), ['FIRING']);
      assert.equal(sink.received.length, 1);
      // Neither repeated, nor given up, nor removed.
      sink.reply = () => ({ status: 500 });
      await end('0000000000000001');
      await pass(2);
      clock.set(twoDays);
      await pass(3);
      assert.deepEqual(await states(), ['FIRING']);
      clock.set(-twoDays);
      await pass(3);
      assert.deepEqual(await states(), ['RESOLVED']);
      clock.set(twoDays);
      await pass(1);
      sink.reply = () => ({ status: 200 });
      await pass(10);
      const { result } = await app.call(alertRule.listMessages, { id: ruleID, limit: 10 });
      assert.deepEqual(
        result.map(({ state, subject }) => [state, subject.includes('Resolved')]),
        [
          ['SENT', true],
          ['SENT', false],
        ],
      );
      assert.deepEqual(await states(), ['RESOLVED']);
    });

    it('neither fire nor repeat early when the clock is set forward and then back by more', async () => {
      const hour = 60 * minute;
      await createRule({ forMinutes: 10, repeatHours: 24 });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      const value = { field: '@rssi', comparison: 'ABOVE' as const, threshold: -70 };
      const ruleID = await createRule({ condition: 'VALUE', value, forMinutes: 10, channels: [] });
      await insertPending(ruleID, await createDevice(app, surroundings));
      await pass(1);
      clock.set(20 * hour);
      await pass(1);
      clock.set(-40 * hour);
      await pass(7);
      assert.deepEqual(await states(), ['PENDING', 'PENDING']);
      await pass(1);
      assert.deepEqual(await states(), ['FIRING', 'FIRING']);
      await pass(1);
      clock.set(30 * hour);
      await pass(1);
      clock.set(-60 * hour);
      await clock.advance(23 * hour);
      await pass(1);
      assert.equal(smtp.mails.length, 1);
      await clock.advance(hour);
      await pass(1);
      assert.equal(smtp.mails.length, 2);
    });

    it('of a dead network are one message', async () => {
      await createRule({ forMinutes: 0, channels: [email(), webhook] });
      const ids = Array.from({ length: 1000 }, (_, index) => index.toString(16).padStart(16, '0'));
      for (const id of ids) await open('GATEWAY_OFFLINE', id);
      await pass(5);
      assert.equal(smtp.mails.length, 1);
      assert.match(subjects()[0]!, /\] 1000 gateways offline/);
      assert.ok(smtp.mails[0]!.text.includes('and 950 more'));
      assert.equal(JSON.parse(sink.received[0]!.body.toString()).subjects.length, 50);
    });

    // The statements are the same on both databases, and thirty thousand rows take time.
    if (kind === 'sqlite')
      it('of 10,000 gateways that come and go have bounds', async () => {
        await createRule({ forMinutes: 0, channels: [webhook] });
        const { query } = app.parts.database;
        const ids = Array.from({ length: 10_100 }, (_, index) => index.toString(16).padStart(16, '0'));
        for (let round = 0; round < 3; round += 1) {
          const rows = ids.map((id) => conditionRow('GATEWAY_OFFLINE', id));
          for (let from = 0; from < rows.length; from += 1000)
            await query
              .insertInto('condition')
              .values(rows.slice(from, from + 1000))
              .execute();
          await pass(1);
          await query.deleteFrom('condition').execute();
          await pass(1);
          await clock.advance(5 * minute);
          await pass(1);
          await clock.advance(5 * minute);
        }
        const counted = async () => await query.selectFrom('alert').select('state').execute();
        assert.equal((await counted()).length, 30_000);
        await clock.advance(10 * minute);
        await pass(1);
        const kept = await counted();
        assert.deepEqual([kept.length, new Set(kept.map(({ state }) => state))], [20_000, new Set(['RESOLVED'])]);
        const messages = sink.received.map(({ body }) => JSON.parse(body.toString()));
        assert.deepEqual(
          messages.map(({ state, subjects: named, firingCount, resolvedCount }) => [
            state,
            named.length,
            firingCount,
            resolvedCount,
          ]),
          Array.from({ length: 3 }, () => [
            ['FIRING', 50, 10_000, 0],
            ['RESOLVED', 50, 0, 10_000],
          ]).flat(),
        );
        assert.deepEqual([await metrics.total('alerts_omitted'), await metrics.total('alerts_removed')], [300, 10_000]);
      });

    it('of a gateway that comes and goes are one message', async () => {
      await createRule({ forMinutes: 0 });
      for (let round = 0; round < 8; round += 1) {
        await open('GATEWAY_OFFLINE', '0000000000000001');
        await pass(2);
        await end('0000000000000001');
        await pass(3);
      }
      assert.equal(smtp.mails.length, 1);
      assert.deepEqual(await states(), ['FIRING']);
      await pass(6);
      assert.match(subjects()[1]!, /Resolved/);
    });

    it('lose no mail while the mail server is down for an hour', async () => {
      const ruleID = await createRule({ forMinutes: 0 });
      await smtp.stop();
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(60);
      const [waiting] = (await app.call(alertRule.listMessages, { id: ruleID, limit: 1 })).result;
      assert.equal(waiting!.state, 'WAITING');
      assert.ok(waiting!.attempts > 3);
      assert.match(waiting!.problem, /^The mail server does not accept mail: .*ECONNREFUSED/);
      assert.ok(!JSON.stringify(waiting).includes(mailPassword));
      await smtp.start();
      await pass(16);
      assert.equal(smtp.mails.length, 1);
      const { result } = await app.call(alertRule.listMessages, { id: ruleID, limit: 10 });
      assert.deepEqual(
        result.map(({ state }) => state),
        ['SENT'],
      );
    });

    it('wait for a webhook that fails for hours, at most 50 of them, and arrive once and in their order', async () => {
      const ruleID = await createRule({ forMinutes: 0, channels: [webhook] });
      sink.reply = () => ({ status: 503 });
      for (let cycle = 0; cycle < 30; cycle += 1) {
        await open('GATEWAY_OFFLINE', '0000000000000001');
        await pass(1);
        await end('0000000000000001');
        await pass(1);
        await clock.advance(5 * minute);
        await pass(1);
        await clock.advance(5 * minute);
      }
      const { query } = app.parts.database;
      const messages = await query
        .selectFrom('alert_message')
        .select(['id', 'state', 'problem', 'created_at'])
        .execute();
      const inOrder = messages.toSorted((one, other) => one.created_at - other.created_at);
      const dropped = inOrder.slice(0, 10);
      const waiting = inOrder.slice(10);
      assert.deepEqual(new Set(dropped.map(({ state }) => state)), new Set(['FAILED']));
      assert.match(dropped[0]!.problem, /50 newer messages/);
      assert.deepEqual([waiting.length, new Set(waiting.map(({ state }) => state))], [50, new Set(['WAITING'])]);
      assert.equal(await metrics.total('alert_messages_dropped'), 10);
      sink.received.length = 0;
      sink.reply = () => ({ status: 200 });
      await pass(70);
      assert.deepEqual(
        sink.received.map(({ headers }) => headers['webhook-id']),
        waiting.map(({ id }) => id),
      );
      const { result } = await app.call(alertRule.listMessages, { id: ruleID, limit: 100 });
      assert.equal(result.filter(({ state }) => state === 'SENT').length, 50);
    });

    it('arrive in their order after the mail server was down', async () => {
      await createRule({ forMinutes: 0 });
      await smtp.stop();
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(20);
      await end('0000000000000001');
      await pass(20);
      await smtp.start();
      await pass(40);
      assert.deepEqual(
        subjects().map((subject) => subject.includes('Resolved')),
        [false, true],
      );
    });

    it('are sent again only to the receivers whose mail was not accepted', async () => {
      const { organizationID } = surroundings;
      const { email: other } = await createUser(app, { organizations: [{ organizationID }] });
      await createRule({ forMinutes: 0, channels: [{ kind: 'EMAIL', addresses: [receiver, other] }] });
      smtp.greylisted.add(other);
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(2);
      assert.deepEqual(
        smtp.mails.map(({ to }) => to),
        [[receiver]],
      );
      smtp.greylisted.clear();
      await pass(30);
      assert.deepEqual(
        smtp.mails.map(({ to }) => to),
        [[receiver], [other]],
      );
    });

    it('are sent by one of two instances', async () => {
      await createRule({ forMinutes: 0 });
      const other = await instance();
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await clock.advance(minute);
      await Promise.all([alerts.round(), other.round()]);
      await Promise.all([alerts.settled(), other.settled()]);
      await Promise.all([alerts.round(), other.round()]);
      await Promise.all([alerts.settled(), other.settled()]);
      assert.equal(smtp.mails.length, 1);
      assert.equal((await listed()).length, 1);
    });

    it('begin anew when their rule changes, and are none for what is snoozed or out of scope', async () => {
      const id = await createRule({ forMinutes: 0, channels: [] });
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await open('GATEWAY_OFFLINE', gatewayID);
      await open('GATEWAY_OFFLINE', '0000000000000002', { snoozed_until: clock.now().getTime() + 60 * minute });
      await open('GATEWAY_REFUSES', '0000000000000003');
      await pass(1);
      assert.deepEqual(
        (await listed()).map(({ subjectID, state }) => [subjectID, state]),
        [[gatewayID, 'FIRING']],
      );
      const { alertRule: rule } = await app.call(alertRule.get, { id });
      await app.call(alertRule.update, { alertRule: { ...rule, tags: { site: 'north' } } });
      await pass(1);
      assert.deepEqual(await states(), ['RESOLVED']);
      await app.call(alertRule.update, { alertRule: { ...rule, tags: {} } });
      await pass(1);
      assert.deepEqual(await states(), ['FIRING', 'RESOLVED']);
    });

    it('compare each value once, with hysteresis and a number of uplinks', async () => {
      surroundings = await createSurroundings(app, { payloadCodec: 'CAYENNE_LPP' });
      const { organizationID } = surroundings;
      const ruleID = await createRule({
        name: 'Too hot',
        condition: 'VALUE',
        value: { field: 'temperatureSensor.1', comparison: 'ABOVE', threshold: 30, hysteresis: 5, uplinks: 2 },
        channels: [webhook],
      });
      await using gateway = await simulateGateway(app, await createGateway(app, organizationID));
      const { devEUI, start } = await createActivatedDevice(app, surroundings);
      const device = start();
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      await alerts.round();
      const send = async (degrees: number) => {
        const data = Buffer.from([1, 0x67, (degrees * 10) >> 8, (degrees * 10) & 0xff]);
        gateway.receiveFrame(device.uplink({ fPort: 1, data }));
        await events.next();
        await alerts.round();
        await alerts.settled();
      };
      await send(31);
      assert.deepEqual(await states(), ['PENDING']);
      await send(28);
      assert.deepEqual(await states(), []);
      await send(31);
      // A restart compares no value twice and misses none.
      alerts = await instance();
      await send(32);
      const [fired] = await listed();
      assert.deepEqual([fired!.state, fired!.subjectID, fired!.value], ['FIRING', devEUI, { value: 32 }]);
      assert.equal(sink.received.length, 1);
      await send(26);
      assert.deepEqual(await states(), ['FIRING']);
      await send(25);
      assert.deepEqual(await states(), ['RESOLVED']);
      await pass(5);
      assert.deepEqual(
        sink.received.map(({ body }) => JSON.parse(body.toString()).state),
        ['FIRING', 'RESOLVED'],
      );
      await app.call(alertRule.delete, { id: ruleID });
      assert.deepEqual(await listed(), []);
    });

    it('are mailed to other people once they have confirmed their address', async () => {
      const id = await createRule({
        forMinutes: 0,
        channels: [{ kind: 'EMAIL', addresses: [receiver, 'guard@example.net'] }],
      });
      assert.deepEqual((await app.call(alertRule.get, { id })).unconfirmedAddresses, ['guard@example.net']);
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(1);
      const asked = smtp.mails.find(({ to }) => to.includes('guard@example.net'))!;
      const token = /token=3D([\w-]+(?:=\r\n[\w-]*)*)/.exec(asked.text)?.[1] ?? /token=([\w-]+)/.exec(asked.text)![1]!;
      assert.deepEqual(smtp.mails.find(({ subject }) => subject.includes('offline'))!.to, [receiver]);
      const confirm = () => app.call(alertReceiver.confirm, { token: token.replaceAll('=\r\n', '') }, null);
      assert.equal((await confirm()).address, 'guard@example.net');
      await refused(5, confirm());
      assert.deepEqual((await app.call(alertRule.get, { id })).unconfirmedAddresses, []);
      await end('0000000000000001');
      await pass(7);
      // Nobody sees the address of another receiver.
      const last = smtp.mails.slice(-2).map(({ to }) => to.join());
      assert.deepEqual(new Set(last), new Set([receiver, 'guard@example.net']));
      const stored = await app.parts.database.query
        .selectFrom('alert_message')
        .select('body')
        .where('rule_id', 'is', null)
        .execute();
      assert.deepEqual(stored, [{ body: '{}' }]);
    });

    it('end for a receiver that unsubscribes from the rule or its organization, and begin again', async () => {
      const other = 'Second.Guard@example.net';
      const { organizationID } = surroundings;
      await createUser(app, { email: other, organizations: [{ organizationID }] });
      const channels = [{ kind: 'EMAIL' as const, addresses: [receiver, other] }];
      const id = await createRule({ forMinutes: 0, channels });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(1);
      const text = smtp.mails.find(({ to }) => to.includes(other))!.text;
      const header = /^List-Unsubscribe:\s+<https:\/\/hilltop\.example\.org(\/[^>]*)>\r\n/m.exec(text)!;
      assert.match(text, /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
      const token = new URLSearchParams(header[1]!.split('?')[1]).get('token')!;
      assert.ok(text.replaceAll('=\r\n', '').includes(`https://hilltop.example.org/unsubscribe#token=3D${token}`));

      const read = () => app.call(alertReceiver.getSubscription, { token }, null);
      assert.deepEqual(await read(), {
        address: other.toLowerCase(),
        organizationName: (await app.call(operations.organization.get, { id: organizationID })).organization!
          .displayName,
        ruleName: 'Gateways',
        unsubscribedFrom: 'NOTHING',
      });
      // A program that reads the address does nothing; the button of a mail program posts a form.
      await app.fetch(header[1]!);
      assert.equal((await read()).unsubscribedFrom, 'NOTHING');
      for (const contentType of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=a']) {
        const body = 'List-Unsubscribe=One-Click';
        const headers = { 'Content-Type': contentType };
        assert.equal((await app.fetch(header[1]!, { method: 'POST', headers, body })).status, 200);
      }
      assert.equal((await read()).unsubscribedFrom, 'RULE');
      assert.deepEqual((await app.call(alertRule.get, { id })).unsubscribedAddresses, [other]);

      const toOther = () => smtp.mails.filter(({ to }) => to.includes(other)).length;
      await end('0000000000000001');
      await pass(7);
      assert.deepEqual([toOther(), smtp.mails.length], [1, 3]);
      const second = await createRule({ forMinutes: 0, channels });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(1);
      assert.equal(toOther(), 2);
      const unsubscribe = (from: 'NOTHING' | 'ORGANIZATION') =>
        app.call(alertReceiver.unsubscribe, { token, from }, null);
      assert.equal((await unsubscribe('ORGANIZATION')).unsubscribedFrom, 'ORGANIZATION');
      assert.deepEqual((await app.call(alertRule.get, { id: second })).unsubscribedAddresses, [other]);
      const tested = (await app.call(alertRule.test, { id: second })).result.map(({ isSent, problem }) => [
        isSent,
        problem,
      ]);
      assert.deepEqual(tested, [
        [true, ''],
        [false, `${other} has unsubscribed.`],
      ]);
      await end('0000000000000001');
      await pass(7);
      assert.equal(toOther(), 2);
      assert.equal((await unsubscribe('NOTHING')).unsubscribedFrom, 'NOTHING');
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(6);
      assert.equal(toOther(), 4);
      await refused(5, app.call(alertReceiver.getSubscription, { token: `${token.slice(0, -4)}AAAA` }, null));
      await app.call(alertRule.delete, { id });
      assert.equal((await unsubscribe('ORGANIZATION')).ruleName, '');
    });

    it('have names that cannot add a header to a mail', async () => {
      const { query } = app.parts.database;
      await createRule({ forMinutes: 0 });
      const display_name = 'Evil\r\nBcc: all@example.net\r\n\r\n';
      await query
        .updateTable('organization')
        .set({ display_name })
        .where('id', '=', Number(surroundings.organizationID))
        .execute();
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(1);
      assert.deepEqual(smtp.mails[0]!.to, [receiver]);
      assert.ok(!/^Bcc:/im.test(smtp.mails[0]!.text));
    });

    it('report what came of a test message', async () => {
      const id = await createRule({ channels: [email()] });
      const [sent] = (await app.call(alertRule.test, { id })).result;
      assert.deepEqual([sent!.isSent, sent!.status, sent!.problem], [true, 250, '']);
      assert.equal(subjects()[0]!.startsWith('[Hilltop] Test of Gateways'), true);
      smtp.reply = 550;
      const [failed] = (await app.call(alertRule.test, { id })).result;
      assert.deepEqual([failed!.isSent, failed!.status], [false, 550]);
      smtp.reply = 250;
      const { result } = await app.call(mail.test, { address: 'someone@example.org' });
      assert.equal(result.isSent, true);
    });

    it('ask no address that was removed before its mail was sent', async () => {
      const channels = [{ kind: 'EMAIL' as const, addresses: ['stranger@example.net'] }];
      await app.call(alertRule.delete, { id: await createRule({ channels }) });
      await pass(1);
      assert.deepEqual(smtp.mails, []);
    });

    it('forget removed addresses after a day, so that others can be asked', async () => {
      const channelsOf = (from: number, count: number) => [
        { kind: 'EMAIL' as const, addresses: Array.from({ length: count }, (_, n) => `a${from + n}@example.net`) },
      ];
      for (let from = 0; from < 100; from += 20)
        await app.call(alertRule.delete, { id: await createRule({ channels: channelsOf(from, 20) }) });
      await refused(9, createRule({ channels: channelsOf(100, 1) }));
      const { query } = app.parts.database;
      await query
        .updateTable('alert_receiver')
        .set({ asked_at: Date.now() - 25 * 60 * minute })
        .where('organization_id', '=', Number(surroundings.organizationID))
        .execute();
      await createRule({ channels: channelsOf(100, 1) });
    });

    it('limit the test messages of an organization', async () => {
      const id = await createRule({ channels: [webhook] });
      for (let n = 0; n < 6; n += 1) await app.call(alertRule.test, { id });
      await refused(8, app.call(alertRule.test, { id }));
    });

    it('refuse rules that do not fit together', async () => {
      const { organizationID } = surroundings;
      const other = await createSurroundings(app);
      const valueRule = (value: PartOf<AlertValue>) => ({ condition: 'VALUE' as const, value });
      const oddAddresses = [
        ...['', 'a', 'a@b', 'root@localhost', 'admin@127.0.0.1', '-oq/tmp@b.c', 'a b@example.org', 'a@exa mple.org'],
        ...['a@b.org,c@d.org', '<a@b.org>', 'a@b.org\r\nBcc: c@d.org', 'a@-b.org', 'a@b..org', '@b.org', 'é@b.org'],
      ];
      for (const address of oddAddresses) await refused(3, app.call(mail.test, { address }));
      const wrong: PartOf<AlertRule>[] = [
        { condition: 'VALUE' },
        { condition: 'VALUE', value: { field: 'a', comparison: 'OUTSIDE', threshold: 2, upperThreshold: 1 } },
        ...['@nope', '.', 'a..b', 'a.', '.a', 'a\nb'].map((field) => valueRule({ field })),
        ...[null, 'NaN', Number.POSITIVE_INFINITY, '1e400'].map((threshold) =>
          valueRule({ field: 'a', threshold: threshold as number }),
        ),
        valueRule({ field: 'a', comparison: 'OUTSIDE', threshold: -5, upperThreshold: Number.NaN }),
        { condition: 'KEY_EXPIRES', tags: { a: 'b' } },
        { condition: 'DEVICE_SILENT', applicationIDs: [other.applicationID] },
        { condition: 'DEVICE_SILENT', deviceProfileIDs: [other.deviceProfileID] },
        { repeatHours: 3 },
        { channels: [{ kind: 'EMAIL', addresses: [] }] },
        ...oddAddresses.map((one) => ({ channels: [{ kind: 'EMAIL' as const, addresses: [one] }] })),
        { channels: [{ kind: 'WEBHOOK', url: 'ftp://example.org' }] },
        { channels: [{ kind: 'WEBHOOK', url: 'https://user:word@example.org' }] },
        { channels: [webhook, webhook] },
        {
          channels: Array.from({ length: 2 }, () => ({
            kind: 'EMAIL' as const,
            addresses: Array(11).fill('a@b.example'),
          })),
        },
      ];
      for (const rule of wrong) await refused(3, createRule({ channels: [], ...rule }));
      const { totalCount } = await app.call(alertRule.list, { organizationID, limit: 10 });
      assert.equal(totalCount, '0');
    });

    it('show the path of a webhook, which can be a secret, only to people who may write rules', async () => {
      const id = await createRule({ channels: [webhook] });
      const { organizationID } = surroundings;
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      const shown = await app.call(alertRule.get, { id }, token);
      assert.equal(shown.alertRule!.channels[0]!.url, 'https://hooks.example.org');
      assert.equal((await app.call(alertRule.get, { id })).alertRule!.channels[0]!.url, webhook.url);
    });

    it('return no signing secret, and keep it with its URL', async () => {
      const id = await createRule({ channels: [webhook], forMinutes: 0 });
      const { alertRule: rule } = await app.call(alertRule.get, { id });
      assert.equal(rule.channels[0]!.secret, '(unchanged)');
      await app.call(alertRule.update, { alertRule: rule });
      await open('GATEWAY_OFFLINE', '0000000000000001');
      await pass(1);
      assert.ok(sink.received[0]!.headers['webhook-signature']);
      const stored = await app.parts.database.query.selectFrom('alert_rule').select('channels').execute();
      assert.ok(!JSON.stringify(stored).includes('whsec_'));
    });
  });

  const rule = ({ organizationID }: Side) => ({ organizationID, name: 'Rule', condition: 'GATEWAY_OFFLINE' as const });
  const newRule = async (side: Side) => (await side.app.call(alertRule.create, { alertRule: rule(side) })).id;
  const existing = async (side: Side) => ({ id: await newRule(side) });
  const firing = async (side: Side) => {
    const id = randomUUID();
    const organization_id = Number(side.organizationID);
    const none = {
      application_id: null,
      value: null,
      fired_at: 1,
      cleared_at: null,
      resolved_at: null,
      notified_at: null,
    };
    await side.app.parts.database.query
      .insertInto('alert')
      .values({
        ...none,
        id,
        rule_id: await newRule(side),
        organization_id,
        subject_kind: 'GATEWAY',
        subject_id: id,
        subject_name: '',
        state: 'FIRING',
        since: 1,
        acknowledged_at: null,
      })
      .execute();
    return { id };
  };
  const writers: PrincipalName[] = [
    ...(['deviceAdmin', 'gatewayAdmin', 'organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey'] as const),
  ];
  describeAccess(kind, 'alerts', [
    row(alertRule.list, ({ organizationID }) => ({ organizationID }), readers),
    row(alertRule.create, (side) => ({ alertRule: rule(side) }), writers),
    row(alertRule.get, existing, readers),
    row(alertRule.update, async (side) => ({ alertRule: { ...rule(side), id: await newRule(side) } }), writers),
    row(alertRule.test, existing, writers),
    row(alertRule.listMessages, existing, readers),
    row(alertRule.delete, existing, writers),
    row(alert.list, ({ organizationID }) => ({ organizationID }), readers),
    row(alert.acknowledge, firing, writers),
    row(
      mail.get,
      () => ({}),
      [...everyUser, 'adminKey', 'organizationKey', 'applicationKey'],
      [...everyUser, 'adminKey', 'organizationKey', 'applicationKey'],
    ),
    row(mail.test, () => ({ address: 'a@example.org' }), admins),
  ]);
}
