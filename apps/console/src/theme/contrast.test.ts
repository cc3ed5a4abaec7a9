import { describe, expect, it } from 'vitest';
import { cssVariables } from './theme.ts';

const channel = (part: string) => {
  const value = Number.parseInt(part, 16) / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
};

function luminance(color: string): number {
  const [red, green, blue] = /^#(..)(..)(..)$/.exec(color)!.slice(1).map(channel) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

describe.each(['light', 'dark'] as const)('contrast in the %s scheme', (scheme) => {
  const tokens: Record<string, string> = cssVariables()[scheme];
  // In the dark scheme fields are lighter than the card they are on.
  const field = scheme === 'light' ? '#ffffff' : '#272e34';
  const surfaces = [tokens['--mantine-color-body']!, tokens['--page']!, field];

  it.each(['--mantine-color-text', '--mantine-color-dimmed', '--mantine-color-placeholder'])('of %s', (token) => {
    expect(Math.min(...surfaces.map((surface) => contrast(tokens[token]!, surface)))).toBeGreaterThanOrEqual(4.5);
  });

  it('of the border of a field', () => {
    expect(Math.min(...surfaces.map((surface) => contrast(tokens['--field-border']!, surface)))).toBeGreaterThanOrEqual(
      3,
    );
  });
});
