import { describe, expect, it } from 'vitest';
import { lineChanges } from './line-changes.ts';

const shown = (before: string, after: string) =>
  lineChanges(before, after).map(
    ({ kind, text }) => `${{ same: ' ', removed: '-', added: '+', skipped: '@' }[kind]}${text}`,
  );

describe('the lines that differ between two texts', () => {
  it('are shown with the lines around them', () => {
    const lines = Array.from({ length: 9 }, (_, at) => `line ${at}`);
    const changed = lines.with(4, 'changed');
    expect(shown(lines.join('\n'), changed.join('\n'))).toEqual([
      '@2 same lines',
      ' line 2',
      ' line 3',
      '-line 4',
      '+changed',
      ' line 5',
      ' line 6',
      '@2 same lines',
    ]);
  });

  it('are added and removed lines at both ends', () => {
    expect(shown('a\nb', 'b\nc')).toEqual(['-a', ' b', '+c']);
    expect(shown('', 'a')).toEqual(['-', '+a']);
  });

  it('are none between equal texts', () => expect(shown('a\nb', 'a\nb')).toEqual(['@2 same lines']));
});
