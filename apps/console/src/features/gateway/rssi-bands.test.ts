import { describe, expect, it } from 'vitest';
import { colorOfRssi } from './rssi-bands.ts';

describe('the colour of a signal', () => {
  const table = [
    [-40, '#FF0000'],
    [-100, '#FF0000'],
    [-101, '#FF7F00'],
    [-105, '#FF7F00'],
    [-110, '#FFFF00'],
    [-115, '#00FF00'],
    [-120, '#00FFFF'],
    [-121, '#4A6CFF'],
  ] as const;
  for (const [rssi, color] of table) it(`of ${rssi} dBm is ${color}`, () => expect(colorOfRssi(rssi)).toBe(color));
});
