import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorsOf } from './filter.ts';
import { filterMoment, formatFilter, operations, parseFilter } from './index.ts';
import { deviceFilters } from './list-fields.ts';
import { parseRequest } from './parse-request.ts';

const read = (text: string) => parseFilter(deviceFilters, text);

describe('a filter of a list', () => {
  for (const [text, field, key, operator, values] of [
    ['state:is:inactive', 'state', '', 'is', ['inactive']],
    ['state:not:active|disabled', 'state', '', 'not', ['active', 'disabled']],
    ['tag.site:is:', 'tag', 'site', 'is', ['']],
    ['tag.a.b:has:x:y', 'tag', 'a.b', 'has', ['x:y']],
    [String.raw`tag.a\:b\\:is:x\|y|\\z|🙂`, 'tag', 'a:b\\', 'is', ['x|y', '\\z', '🙂']],
    ['tag.site:set', 'tag', 'site', 'set', []],
    ['lastSeenAt:before:2026-11-27T06:00:00Z', 'lastSeenAt', '', 'before', ['2026-11-27T06:00:00Z']],
    ['lastSeenAt:after:24h', 'lastSeenAt', '', 'after', ['24h']],
    ['battery:lt:19.5', 'battery', '', 'lt', ['19.5']],
    ['errors:set:', 'errors', '', 'set', []],
  ] as const)
    it(`reads ${text}, and writes what it reads`, () => {
      const filter = { field, key, operator, values: [...values] };
      assert.deepEqual(read(text), { filter });
      assert.deepEqual(read(formatFilter(filter)), { filter });
    });

  for (const [text, problem] of [
    [
      '',
      'There is no filter field "". The fields are state, condition, application, profile, serviceProfile, networkServer, tag.<name>, ',
    ],
    ['toString:is:x', 'There is no filter field "toString". The fields are state,'],
    ['state.x:is:active', 'There is no filter field "state.x". The fields are state,'],
    ['state', 'There is no operator "" for state. The operators are is, not.'],
    ['state:has:active', 'There is no operator "has" for state. The operators are is, not.'],
    ['state:is', 'The value is missing: state:is:<value>.'],
    [
      'state:is:new',
      '"new" is not a value of state. Must be one of active, inactive, neverSeen, disabled, joinRefused.',
    ],
    ['state:is:toString', '"toString" is not a value of state.'],
    ['tag:is:x', 'The field tag needs a name of at most 128 characters: tag.<name>.'],
    ['profile:is:7', '"7" is not a value of profile. Must be a UUID in lower case.'],
    ['application:is:-1', '"-1" is not a value of application. Must be an ID: a whole number.'],
    ['battery:lt:full', '"full" is not a value of battery. Must be a number.'],
    ['lastSeenAt:before:yesterday', '"yesterday" is not a value of lastSeenAt. Must be a time such as'],
    ['lastSeenAt:before:2026-13-01', '"2026-13-01" is not a value of lastSeenAt. Must be a time such as'],
    ['lastSeenAt:before:2026-02-30', '"2026-02-30" is not a value of lastSeenAt. Must be a time such as'],
    ['battery:set:5', 'battery:set has no value.'],
    ['tag.x:is:a\\', 'The filter ends with a backslash. Write \\\\ for a backslash.'],
    [`tag.x:is:${'|'.repeat(50)}`, 'A filter must have at most 50 values.'],
  ] as const)
    it(`refuses ${text.slice(0, 40)} and says what can be given`, () => {
      const found = read(text);
      assert.ok('problem' in found && found.problem.startsWith(problem), JSON.stringify(found));
    });

  it('has an age or a time, of which one is a moment', () => {
    const now = Date.parse('2026-11-27T06:00:00Z');
    assert.equal(filterMoment('90s', now), now - 90_000);
    assert.equal(filterMoment('7d', now), now - 7 * 86_400_000);
    assert.equal(filterMoment('2026-11-27T08:00:00+02:00', now), now);
  });

  it('can test whether there is a value only for fields that may have none', () => {
    assert.deepEqual(operatorsOf(deviceFilters.state), ['is', 'not']);
    assert.deepEqual(operatorsOf(deviceFilters.errors), ['set', 'unset']);
    assert.deepEqual(operatorsOf(deviceFilters.tag), ['is', 'not', 'has', 'set', 'unset']);
  });
});

describe('the request of a list', () => {
  const list = (query: Record<string, string | string[]>) => parseRequest(operations.device.list, { path: [], query });

  it('has filters in either spelling, and at most 20 of them', () => {
    assert.deepEqual(list({ filter: 'state:is:active' }).filter, ['state:is:active']);
    assert.deepEqual(list({ 'filter[]': ['a', 'b'] }).filter, ['a', 'b']);
    assert.throws(() => list({ filter: Array(21).fill('state:is:active') }), { code: 3 });
  });

  it('has the additions that it wants in one text or in several', () => {
    assert.deepEqual(list({ include: 'state,tags' }).include, ['state', 'tags']);
    assert.deepEqual(list({ include: ['state', 'tags'] }).include, ['state', 'tags']);
    assert.throws(() => list({ include: 'state,nonsense' }), /Must be one of state, tags/);
  });
});
