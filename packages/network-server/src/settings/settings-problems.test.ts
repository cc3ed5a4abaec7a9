import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { region, regions } from '@hilltop/lorawan';
import { defaultSettings, type Settings } from './settings.ts';
import { settingsProblems } from './settings-problems.ts';

const problemsOf = (of: string, settings: Partial<Settings>) =>
  settingsProblems(region(of), { ...defaultSettings, ...settings });
const channel = (frequency: number, minDR = 0, maxDR = 5) => ({ frequency, minDR, maxDR });

/** Region, settings, the invalid field; null: they are valid. */
const cases: [of: string, settings: Partial<Settings>, field: string | null][] = [
  ['EU868', { extraChannels: [channel(867_100_000), channel(867_300_000)] }, null],
  ['EU868', { extraChannels: [channel(902_300_000)] }, 'extraChannels[0].frequency'],
  ['EU868', { extraChannels: [channel(867_100_050)] }, 'extraChannels[0].frequency'],
  ['EU868', { extraChannels: [channel(868_100_000)] }, 'extraChannels[0].frequency'],
  ['EU868', { extraChannels: [channel(867_100_000), channel(867_100_000)] }, 'extraChannels[1].frequency'],
  ['EU868', { extraChannels: [channel(867_100_000, 5, 0)] }, 'extraChannels[0].maxDR'],
  ['EU868', { extraChannels: [channel(867_100_000, 0, 15)] }, 'extraChannels[0].maxDR'],
  [
    'EU868',
    { extraChannels: Array.from({ length: 14 }, (_, n) => channel(864_000_000 + n * 200_000)) },
    'extraChannels',
  ],
  ['US915', { extraChannels: [channel(902_400_000, 0, 3)] }, 'extraChannels'],
  ['EU868', { enabledChannels: [0, 1, 3] }, 'enabledChannels'],
  ['EU868', { enabledChannels: [0, 3], extraChannels: [channel(867_100_000)] }, null],
  ['EU868', { enabledChannels: [3], extraChannels: [channel(867_100_000)] }, 'enabledChannels'],
  ['EU868', { enabledChannels: [0, 0] }, 'enabledChannels'],
  ['US915', { enabledChannels: [8, 9, 10, 11, 12, 13, 14, 15, 65] }, null],
  ['US915', { enabledChannels: [64, 65] }, 'enabledChannels'],
  ['US915', { enabledChannels: [72] }, 'enabledChannels'],
  ['EU868', { rx1DROffset: 5 }, null],
  ['US915', { rx1DROffset: 4 }, 'rx1DROffset'],
  ['AS923', { rx1DROffset: 7 }, null],
  ['EU868', { rx2DataRate: 3 }, null],
  ['EU868', { rx2DataRate: 8 }, 'rx2DataRate'],
  ['US915', { rx2DataRate: 0 }, 'rx2DataRate'],
  ['EU868', { rx2Frequency: 923_300_000 }, 'rx2Frequency'],
  ['EU868', { deduplicationDelayMs: 600, getDownlinkDataDelayMs: 200 }, 'getDownlinkDataDelayMs'],
  ['EU868', { deduplicationDelayMs: 600, getDownlinkDataDelayMs: 200, rx1Delay: 2 }, null],
  ['EU868', { downlinkTxPower: 27 }, null],
  ['EU868', { downlinkTxPower: 30 }, 'downlinkTxPower'],
  ['EU868', { uplinkMaxEIRP: 14 }, 'uplinkMaxEIRP'],
  ['AS923', { uplinkMaxEIRP: 14, uplinkDwellTime400ms: true, downlinkDwellTime400ms: true }, null],
  ['AS923', { uplinkMaxEIRP: 20 }, 'uplinkMaxEIRP'],
  ['EU868', { downlinkDwellTime400ms: true }, 'downlinkDwellTime400ms'],
  ['EU868', { adrMinDR: 2, adrMaxDR: 4 }, null],
  ['EU868', { adrMinDR: 4, adrMaxDR: 2 }, 'adrMaxDR'],
  ['US915', { adrMaxDR: 8 }, 'adrMaxDR'],
  ['EU868', { adrMinTxPower: 16 }, null],
  ['EU868', { adrMinTxPower: 17 }, 'adrMinTxPower'],
  ['EU868', { classBPingSlotDR: 9 }, 'classBPingSlotDR'],
  ['EU868', { classBPingSlotFrequency: 1 }, 'classBPingSlotFrequency'],
  ['ISM2400', { rx2Frequency: 2_424_000_100 }, 'rx2Frequency'],
];

describe('problems of radio settings', () => {
  for (const [of, settings, field] of cases) {
    it(`${of} ${JSON.stringify(settings).slice(0, 90)}: ${field ?? 'none'}`, () => {
      const fields = problemsOf(of, settings).map((problem) => problem.field);
      assert.deepEqual([...new Set(fields)], field === null ? [] : [field]);
    });
  }

  it('are none with default settings, in any region', () => {
    for (const { name } of regions) assert.deepEqual(problemsOf(name, {}), [], name);
  });

  it('are none with the recommended channels of a region', () => {
    for (const { name, recommendedExtraChannels } of regions)
      assert.deepEqual(problemsOf(name, { extraChannels: [...recommendedExtraChannels] }), [], name);
  });
});
