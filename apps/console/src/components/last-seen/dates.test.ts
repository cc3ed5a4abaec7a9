import { describe, expect, it } from 'vitest';
import { formatRelative } from './dates.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const ago = (seconds: number) => formatRelative(new Date(now - seconds * 1000).toISOString(), now);

describe('formatRelative', () => {
  it('uses the largest whole unit', () => {
    expect(ago(20)).toBe('just now');
    expect(ago(61)).toBe('1 min ago');
    expect(ago(5 * 60 + 59)).toBe('5 min ago');
    expect(ago(2 * 3600)).toBe('2 h ago');
    expect(ago(3 * 86_400)).toBe('3 days ago');
    expect(ago(400 * 86_400)).toBe('1 year ago');
    expect(ago(-3 * 86_400)).toBe('in 3 days');
  });
});
