import { describe, expect, it } from 'vitest';
import { type FieldRules, problemOf } from './rules.ts';

const text = { kind: 'text', label: 'Name' };
const problem = (value: unknown, facts: object, rules: FieldRules = {}, values: object = {}) =>
  problemOf(value, values, { ...text, ...facts }, rules);

describe('problemOf', () => {
  it('refuses an empty or blank value of a required field', () => {
    expect(problem('  ', { required: true })).toBe('Name is required.');
    expect(problem('', {})).toBeNull();
    expect(problem(0, { required: true })).toBeNull();
    expect(problem('', { required: true, kind: 'list', label: 'Channels' })).toBe('Channels are required.');
  });

  it('requires a field only while another field has the given value', () => {
    const facts = { requiredWhen: { field: 'supportsJoin', is: false } };
    expect(problem('', facts, {}, { supportsJoin: false })).toBe('Name is required.');
    expect(problem('', facts, {}, { supportsJoin: true })).toBeNull();
  });

  it('lets the form override the contract', () => {
    expect(problem('', { required: true }, { required: false })).toBeNull();
    expect(problem('', {}, { required: true, label: 'Password' })).toBe('Password is required.');
  });

  it('uses the error text of the contract when the pattern does not match', () => {
    const facts = { pattern: '^[\\w\\-]+$', message: 'Words, numbers and dashes only.' };
    expect(problem('two words', facts)).toBe('Words, numbers and dashes only.');
    expect(problem('one-word', facts)).toBeNull();
  });

  it('names the item of a list that does not match its pattern', () => {
    const facts = { kind: 'list', pattern: '^\\w+$', message: 'Words only.' };
    expect(problem(['one', ' two', ''], facts)).toBeNull();
    expect(problem(['one', 'a b', '?'], facts)).toBe('a b: Words only.');
  });

  it('checks the limits of numbers', () => {
    expect(problem(16, { kind: 'uint32', max: 15 })).toBe('Name must be at most 15.');
    expect(problem(-1, { kind: 'uint32', min: 0 })).toBe('Name must be at least 0.');
  });

  it('refuses an incomplete identifier', () => {
    expect(problem('0102', { kind: 'eui64' })).toContain('8 bytes');
    expect(problem('0102030405060708', { kind: 'eui64' })).toBeNull();
  });

  it('applies the rule of the form last', () => {
    const rules = { validate: (value: number) => (value > 3 ? 'Too much.' : null) };
    expect(problem(4, { kind: 'uint32', max: 5 }, rules)).toBe('Too much.');
    expect(problem(6, { kind: 'uint32', max: 5 }, rules)).toBe('Name must be at most 5.');
  });
});
