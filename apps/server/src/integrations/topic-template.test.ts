import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isFilter, lets } from '../mqtt/filters.ts';
import { parseTemplate } from './topic-template.ts';

const usual = 'application/{{ .ApplicationID }}/device/{{ .DevEUI }}/event/{{ .EventType }}';
const values = { ApplicationID: '7', DevEUI: '0a1b2c3d4e5f6071', EventType: 'up' };
const topic = 'application/7/device/0a1b2c3d4e5f6071/event/up';

describe('a topic template', () => {
  it('writes and reads topics', () => {
    const template = parseTemplate(usual, ['ApplicationID', 'DevEUI']);
    assert.equal(template.topic(values), topic);
    assert.deepEqual(template.read(topic), values);
    assert.equal(template.filter({ ApplicationID: '7' }), 'application/7/device/+/event/+');
    const others = ['', 'application/7', `${topic}/x`, topic.replace('7', '07'), topic.toUpperCase(), ` ${topic}`];
    for (const other of others) assert.equal(template.read(other), undefined, other);
  });

  it('finds the common values of the topics that match a filter', () => {
    const { common } = parseTemplate(usual, []);
    assert.deepEqual(common('#'), {});
    assert.deepEqual(common('application/7/#'), { ApplicationID: '7' });
    assert.deepEqual(common('+/7/+/+/event/join'), { ApplicationID: '7', EventType: 'join' });
    for (const other of ['+', 'application', 'other/#', 'application/x/#', `${topic}/+`, '$SYS/#'])
      assert.equal(common(other), undefined, other);
    // `a/#` also matches `a` (MQTT 3.1.1 §4.7.1.2).
    assert.deepEqual(common(`${topic}/#`), values);
  });

  it('can have several variables in a level', () => {
    const template = parseTemplate('x/{{ .ApplicationID }}-{{.DevEUI}}', []);
    assert.deepEqual(template.read('x/7-0a1b2c3d4e5f6071'), { ApplicationID: '7', DevEUI: '0a1b2c3d4e5f6071' });
    assert.equal(template.filter({ ApplicationID: '7' }), 'x/+');
  });

  for (const [text, problem] of [
    ['application/{{ .ApplicationID }}', /must have \{\{ \.DevEUI \}\}/],
    ['{{ .ApplicationID }}/{{ .DevEUI }}/+', /wildcards/],
    ['{{ .ApplicationID }}/{{ .DevEUI }}/{{ .Name }}', /\{\{ \.Name \}\}: the variables are/],
    ['{{ .ApplicationID }}/{{ .DevEUI }}/{x}', /braces/],
    ['{{ .ApplicationID }}/{{ .DevEUI }}/{{ .DevEUI }}', /once/],
  ] as const)
    it(`is refused: ${text}`, () => assert.throws(() => parseTemplate(text, ['ApplicationID', 'DevEUI']), problem));
});

it('filters match topics as the MQTT standard specifies', () => {
  const is = (filter: string, one: string) => lets(filter.split('/'), one.split('/'));
  for (const [filter, one] of [
    ['a/#', 'a'],
    ['a/#', 'a/b/c'],
    ['a/+', 'a/'],
    ['+/+', '/x'],
    ['/+', '/x'],
    ['#', 'a/b'],
  ] as const)
    assert.ok(is(filter, one), `${filter} ${one}`);
  for (const [filter, one] of [
    ['+', 'a/b'],
    ['a/+', 'a'],
    ['a/b', 'a'],
    ['a', 'a/b'],
    ['a/+/c', 'a/b/d'],
    ['+', '/x'],
  ] as const)
    assert.ok(!is(filter, one), `${filter} ${one}`);
  for (const filter of ['a+', 'a/b#', '#/a', '', 'a'.repeat(257), 'a/'.repeat(10), '\0'])
    assert.ok(!isFilter(filter), filter);
});
