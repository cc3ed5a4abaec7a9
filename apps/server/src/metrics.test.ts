import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createMetrics } from './metrics.ts';
import { createGateway, createHeardDevice, createSurroundings, simulateGateway } from './testing/field.ts';
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
      for (const [, kind, name] of text.matchAll(/\b(count|gauges?|observe)\(\s*'([\w:]+)'/g))
        found.push([kind!, name!]);
    }
  return found;
}

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
    await createHeardDevice(app, surroundings, gateway);
    const text = await (await app.fetch('/metrics')).text();
    const problems = lintMetrics(text).filter((problem) => !ofVersion3.test(problem));
    assert.deepEqual(problems, [], advice);
  });
});
