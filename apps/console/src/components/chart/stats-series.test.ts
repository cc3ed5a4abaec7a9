import { describe, expect, it } from 'vitest';
import { isEmptyChart, summaryOf, tableOf } from './chart-data.ts';
import { bars, dataRateBars, dayOf, frequencyHeatmap, line, untilOf } from './stats-series.ts';

const days = [
  { timestamp: '2026-11-19T00:00:00Z', rxPackets: 0, gwRssi: 0, perFrequency: {}, perDr: {}, errors: {} },
  {
    timestamp: '2026-11-20T00:00:00Z',
    rxPackets: 3,
    gwRssi: -97.5,
    perFrequency: { 868100000: 2, 1000000: 1 },
    perDr: { 10: 1, 5: 2 },
    errors: { OTAA: 4 },
  },
  {
    timestamp: '2026-11-21T00:00:00Z',
    rxPackets: 1,
    gwRssi: -80,
    perFrequency: { 868300000: 1 },
    perDr: { 0: 1 },
    errors: {},
  },
];

describe('statistics as charts', () => {
  it('have a gap for a day without measurements', () => {
    const rssi = line(days, 'rssi', (day) => (day.rxPackets > 0 ? day.gwRssi : null), { unit: 'dBm', fromZero: false });
    expect(rssi.series[0]?.values).toEqual([null, -97.5, -80]);
    expect(isEmptyChart(rssi)).toBe(false);
  });

  it('sort frequencies as numbers and label them in MHz', () => {
    const map = frequencyHeatmap(days, (day) => day.perFrequency);
    expect(map.categories).toEqual(['1 MHz', '868.1 MHz', '868.3 MHz']);
    expect(map.counts).toEqual([
      [0, 1, 0],
      [0, 2, 0],
      [0, 0, 1],
    ]);
  });

  it('label the count of frequencies outside the network as other', () => {
    expect(frequencyHeatmap(days, () => ({ 868100000: 1, 0: 7 })).categories).toEqual(['other', '868.1 MHz']);
  });

  it('have one series per data-rate, in numeric order, each with its own colour', () => {
    const chart = dataRateBars(days, (day) => day.perDr);
    expect(chart.series.map((one) => one.name)).toEqual(['DR0', 'DR5', 'DR10']);
    expect(new Set(chart.series.map((one) => one.color)).size).toBe(3);
    expect(chart.series[1]?.values).toEqual([0, 2, 0]);
  });

  it('have no series for a name without counts', () => {
    expect(bars(days, (day) => day.errors).series).toEqual([{ name: 'OTAA', values: [0, 4, 0] }]);
  });

  it('use the date of the server in every browser time zone', () => {
    const local = new Date(2026, 10, 21);
    expect(dayOf({ timestamp: local.toISOString() })).toBe('2026-11-21');
    const elevenHoursWest = new Date(local.getTime() - 11 * 3600_000);
    expect(dayOf({ timestamp: elevenHoursWest.toISOString() })).toBe('2026-11-21');
  });

  it('are hourly when the server returns hours', () => {
    const hours = [9, 10].map((hour) => ({ timestamp: new Date(2026, 10, 21, hour).toISOString() }));
    const chart = line(hours, 'uplink', () => 2);
    expect([chart.per, chart.times]).toEqual(['hour', ['2026-11-21 09:00', '2026-11-21 10:00']]);
    expect(tableOf(chart)).toEqual({
      columns: ['Hour', 'uplink'],
      rows: [
        ['2026-11-21 10:00', '2'],
        ['2026-11-21 09:00', '2'],
      ],
    });
    expect(summaryOf('Received', chart)).toBe('Received, 2 hours. Latest, 2026-11-21 10:00: uplink 2.');
  });

  it('are empty when there is no data or only zeros', () => {
    expect(isEmptyChart(line([], 'uplink', () => 1))).toBe(true);
    expect(isEmptyChart(line(days, 'uplink', () => 0))).toBe(true);
    expect(isEmptyChart(bars(days, () => ({})))).toBe(true);
    expect(isEmptyChart(frequencyHeatmap(days, () => null))).toBe(true);
  });

  it('are also available as a table, newest day first and without empty days', () => {
    expect(tableOf(dataRateBars(days, (day) => day.perDr))).toEqual({
      columns: ['Day', 'DR0', 'DR5', 'DR10'],
      rows: [
        [dayOf(days[2]!), '1', '0', '0'],
        [dayOf(days[1]!), '0', '2', '1'],
      ],
    });
  });

  it('have a one-sentence summary', () => {
    const text = summaryOf(
      'Received',
      line(days, 'uplink', (day) => day.rxPackets),
    );
    expect(text).toBe(`Received, 3 days. Latest, ${dayOf(days[2]!)}: uplink 1.`);
  });

  it('say until when the last day or hour was counted, when it is not over', () => {
    const dates = days.map(({ timestamp }) => ({ timestamp }));
    const midnight = Date.parse('2026-11-21T00:00:00Z');
    const clock = (ms: number) => new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' }).format(ms);
    const tenOClock = midnight + 10 * 3600_000;
    expect(untilOf(dates, tenOClock)).toBe(clock(tenOClock));
    expect(untilOf(dates, midnight + 24 * 3600_000)).toBeUndefined();
    const hours = [9, 10].map((hour) => ({ timestamp: new Date(2026, 10, 21, hour).toISOString() }));
    expect(untilOf(hours, new Date(2026, 10, 21, 10, 3).getTime())).toBe('10:03');
    expect(untilOf(hours, new Date(2026, 10, 21, 11).getTime())).toBeUndefined();
  });
});
