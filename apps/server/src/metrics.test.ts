import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { registerFleetMetrics } from './conditions/fleet-metrics.ts';
import { createMetrics } from './metrics.ts';
import { createGateway, createReceivedDevice, createSurroundings, simulateGateway } from './testing/field.ts';
import { lintMetrics } from './testing/metrics-lint.ts';
import { startTestApp } from './testing/test-app.ts';

/** Names of version 3, which never change because dashboards use them. */
const ofVersion3 = /^(?:backend_mqtt_(?:event|command)_count|integration_mqtt_event_count): /;
const advice = 'Rename the metric: promtool would refuse it. Counters get "_total" by themselves.';

const roots = ['.', '../../../packages/network-server/src'].map((path) => join(import.meta.dirname, path));

/** Every name of a metric in the source, with its kind. */
function namesInSource(): [kind: string, name: string][] {
  const found: [string, string][] = [];
  for (const root of roots)
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || path.endsWith('.test.ts') || /(?:^|\/)testing\//.test(path)) continue;
      const text = readFileSync(join(root, path), 'utf8');
      for (const [, kind, name] of text.matchAll(/\b(count|gauges?|labeledGauges|observe)\(\s*'([\w:]+)'/g))
        found.push([kind!, name!]);
    }
  return found;
}

const deploy = join(import.meta.dirname, '../../../deploy');
const deployed = (file: string) => readFileSync(join(deploy, file), 'utf8');
interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}
const { groups } = parse(deployed('prometheus-rules.yaml')) as { groups: { name: string; rules: AlertRule[] }[] };
const alertRules = groups.flatMap(({ rules }) => rules);
interface Dashboard {
  uid: string;
  title: string;
  panels: { id: number; title: string; targets: { expr: string }[]; gridPos: { x: number; w: number } }[];
}
const dashboards = readdirSync(join(deploy, 'grafana')).map((name): [name: string, Dashboard] => [
  name,
  JSON.parse(deployed(`grafana/${name}`)) as Dashboard,
]);

/** The queries of the alert rules and dashboards that are delivered with the server. */
function deployedQueries(): [file: string, queries: string[]][] {
  const shown = dashboards.map(([name, { panels }]): [string, string[]] => [
    name,
    panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ]);
  return [['prometheus-rules.yaml', alertRules.map(({ expr }) => expr)], ...shown];
}

describe('files for Prometheus and Grafana', () => {
  it('have what Prometheus demands of alert rules', () => {
    assert.equal(new Set(alertRules.map(({ alert }) => alert)).size, alertRules.length);
    for (const { alert, expr, labels, annotations, ...rest } of alertRules) {
      assert.match(alert, /^Hilltop[A-Z]\w+$/);
      assert.equal((expr.match(/[({[]/g) ?? []).length, (expr.match(/[)}\]]/g) ?? []).length, `${alert}: parentheses`);
      assert.ok(['warning', 'critical'].includes(labels.severity), alert);
      assert.ok(annotations.summary !== '' && annotations.description !== '', alert);
      // The first event creates its counter, which `increase` does not notice.
      for (const [, selected] of expr.matchAll(/increase\((.+?)\[/g))
        assert.ok(expr.includes(`${selected} unless ${selected} offset`), `${alert}: a new counter`);
      assert.ok(Object.keys(rest).every((key) => key === 'for') && /^(\d+m)?$/.test(rest.for ?? ''), alert);
    }
  });

  it('are dashboards whose panels have places of their own', () => {
    for (const [name, { uid, title, panels }] of dashboards) {
      assert.ok(uid !== '' && title !== '', name);
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, name);
      for (const panel of panels) assert.ok(panel.gridPos.x + panel.gridPos.w <= 24 && panel.targets.length > 0, name);
    }
  });
});

describe('metrics of devices and gateways', () => {
  it('have labels for 100 organizations, and are counted at most once a minute', async () => {
    const metrics = createMetrics();
    let [ms, counted, failing] = [0, 0, false];
    const log = { warn: () => undefined };
    const clock = { now: () => new Date(ms), monotonicMs: () => ms };
    registerFleetMetrics({
      count: async () => {
        counted += 1;
        if (failing) throw new Error('busy');
        const of = (organizationID: number) => ({ organizationID, state: 'active', count: organizationID });
        const devices = Array.from({ length: 102 }, (_, at) => of(102 - at));
        const conditions = [{ condition: 'DISK_LOW', count: counted }];
        return { devices, gateways: [], conditions, oldestUndelivered: ms - 5000 };
      },
      ...{ inactiveAfterIntervals: 1.5, clock, log, metrics },
    });
    const text = await metrics.text();
    assert.match(text, /^hilltop_devices\{organization="100",state="active"\} 100$/m);
    assert.match(text, /^hilltop_devices\{organization="other",state="active"\} 203$/m);
    assert.equal(text.match(/^hilltop_devices\{/gm)?.length, 101);
    assert.match(text, /^hilltop_delivery_oldest_seconds 5$/m);
    ms += 59_999;
    assert.match(await metrics.text(), /^hilltop_conditions\{condition="DISK_LOW"\} 1$/m);
    assert.equal(counted, 1);
    ms += 1;
    await metrics.text();
    assert.equal(counted, 2);
    assert.match(await metrics.text(), /^hilltop_conditions\{condition="DISK_LOW"\} 2$/m);
    failing = true;
    ms += 60_000;
    await metrics.text();
    assert.match(await metrics.text(), /^hilltop_conditions\{condition="DISK_LOW"\} 2$/m);
  });
});

describe('names of metrics', () => {
  it('fail the linter when they are invalid', () => {
    const text = [
      '# TYPE a_ms gauge',
      'a_ms{camelCase="x",le="1"} 1',
      ...['# HELP b Sum.', '# TYPE b counter', 'b 1', 'b 1'],
      ...['# HELP c_total x', '# TYPE c_total gauge', '# HELP d_count x', '# TYPE d_count gauge'],
      ...['# HELP e_minutes x', '# TYPE e_minutes gauge', '# HELP f_counter_total x', '# TYPE f_counter_total counter'],
    ].join('\n');
    assert.deepEqual(lintMetrics(text), [
      'a_ms: no help text',
      'a_ms: metric names should not contain abbreviated units',
      "a_ms: label names should be written in 'snake_case' not 'camelCase'",
      'a_ms: non-histogram metrics should not have "le" label',
      'b: counter metrics should have "_total" suffix',
      'b: appears twice',
      'c_total: non-counter metrics should not have "_total" suffix',
      'd_count: non-histogram and non-summary metrics should not have "_count" suffix',
      'e_minutes: use base unit "seconds" instead of "minutes"',
      "f_counter_total: metric name should not include type 'counter'",
    ]);
  });

  it('in the source pass promtool', async () => {
    const metrics = createMetrics();
    const names = namesInSource();
    assert.ok(names.length > 80);
    for (const [kind, name] of new Map(names.map((one) => [one.join(' '), one])).values()) {
      if (kind === 'count') metrics.count(name);
      else if (kind === 'observe') metrics.observe(name, {}, 1);
      else metrics.gauge(name, 'A value.', () => 1);
    }
    assert.deepEqual(lintMetrics(await metrics.text()), [], advice);
  });

  it('of a server under load pass promtool', async () => {
    await using app = await startTestApp('sqlite');
    const surroundings = await createSurroundings(app);
    await using gateway = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
    await createReceivedDevice(app, surroundings, gateway);
    const text = await (await app.fetch('/metrics')).text();
    assert.match(text, /^hilltop_devices\{organization="\d+",state="active"\} 1$/m);
    assert.match(text, /^hilltop_gateways_registered\{organization="\d+",state="online"\} 1$/m);
    const present = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
    // Some appear when something is first counted, or only with several instances.
    const later = namesInSource().map(([kind, name]) => `hilltop_${name}${kind === 'count' ? '_total' : ''}`);
    const known = new Set([...present, ...later]);
    for (const [file, queries] of deployedQueries())
      for (const query of queries)
        for (const [name] of query.matchAll(/\bhilltop_\w+/g))
          assert.ok(known.has(name) || known.has(name.replace(/_(?:bucket|count|sum)$/, '')), `${file}: ${name}`);
    const problems = lintMetrics(text).filter((problem) => !ofVersion3.test(problem));
    assert.deepEqual(problems, [], advice);
  });
});
