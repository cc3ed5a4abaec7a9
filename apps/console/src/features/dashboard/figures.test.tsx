import type { Traffic } from '@hilltop/contract';
import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { Figures } from './figures.tsx';
import { listLinksOf } from './list-links.ts';
import { comparison, hourWords } from './traffic-words.ts';

const counts = { activeCount: 1990, inactiveCount: 8, neverSeenCount: 2 };
const start = new Date(2026, 10, 21, 11).getTime();
const timeAt = (hours: number, minutes = 0) => new Date(start + (hours * 60 + minutes) * 60_000).toISOString();

/** 24 hours: 100 uplinks in each complete hour, 5 in the current one. */
function trafficOf({ usualUplinks = 100, comparedDays = 7 } = {}): Traffic {
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    startsAt: timeAt(hour),
    uplinks: hour === 23 ? 5 : 100,
    downlinks: 2,
    errors: hour === 0 ? 23 : 0,
    usualUplinks,
  }));
  return { hours, countedFrom: null, countedUntil: timeAt(23, 3), comparedDays };
}

const open = (traffic: Traffic | undefined, hasNoTraffic = false) =>
  renderPage(
    <Figures
      devices={counts}
      gateways={counts}
      traffic={traffic}
      hasNoTraffic={hasNoTraffic}
      links={listLinksOf('7')}
    />,
  );

const figures = () =>
  screen.getAllByRole('term').map((label) => {
    const [value, note] = [...label.parentElement!.querySelectorAll('dd')].map((one) => one.textContent);
    return [label.textContent, value, note];
  });

it('has devices, gateways and the traffic of 24 hours', async () => {
  await open(trafficOf());
  expect(figures()).toEqual([
    ['Devices', '2,000', '1,990 active'],
    ['Gateways', '2,000', '1,990 active'],
    ['Uplinks, last 24 h', '2,305', 'as many as usual'],
    ['Errors, last 24 h', '23', '1.0 per 100 uplinks'],
    ['Downlinks, last 24 h', '48', 'from applications'],
  ]);
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
    '/organizations/7/devices',
    '/organizations/7/gateways',
  ]);
});

it('has only devices and gateways on a server that counts no traffic', async () => {
  await open(undefined, true);
  expect(figures().map(([label]) => label)).toEqual(['Devices', 'Gateways']);
});

it('has a dash for counts that cannot be loaded', async () => {
  await renderPage(
    <Figures devices={null} gateways={undefined} traffic={undefined} hasNoTraffic links={listLinksOf('0')} />,
  );
  expect(figures()).toEqual([
    ['Devices', '–', ''],
    ['Gateways', '', ''],
  ]);
});

it('draws the current hour as incomplete and says until when it was counted', async () => {
  await open(trafficOf());
  const bars = screen.getByRole('img', { name: /^Uplinks per hour, 2,305 in 24 hours until 10:03\./ });
  const open_ = [...bars.querySelectorAll('rect[data-open]')];
  expect(open_.map((one) => one.getAttribute('fill'))).toEqual([expect.stringMatching(/^url\(#.+\)$/)]);
  bars.getBoundingClientRect = () => ({ left: 0, width: 240 }) as DOMRect;
  fireEvent.pointerMove(bars, { clientX: 239 });
  expect(bars.querySelector('[data-pointed]')).toBe(open_[0]);
  expect(hourWords(trafficOf(), 23)).toBe('10:00, until 10:03: 5 uplinks, usually 100');
  expect(hourWords(trafficOf({ comparedDays: 0 }), 0)).toBe('11:00 to 12:00: 100 uplinks');
});

it('scales the bars by the finished hours, and cuts a current hour that is higher', async () => {
  const { hours, ...traffic } = trafficOf();
  const busy = hours.map((hour, index) => (index === 23 ? { ...hour, uplinks: 2305 } : hour));
  await open({ ...traffic, hours: busy });
  const bars = screen.getByRole('img', { name: /^Uplinks per hour/ });
  const heights = [...bars.querySelectorAll('rect[height]:not(pattern rect)')].map((one) => one.getAttribute('height'));
  expect(new Set(heights)).toEqual(new Set(['36']));
  expect(bars.querySelectorAll('[data-cut]')).toHaveLength(1);
});

it('compares the current hour by the part that has passed', () => {
  const { hours, ...traffic } = trafficOf();
  const busy = hours.map((hour, index) => (index === 23 ? { ...hour, uplinks: 2305 } : hour));
  expect(comparison({ ...traffic, hours: busy })).toBe('100% more than usual');
});

it('compares uplinks with the days before', () => {
  expect(comparison(trafficOf())).toBe('as many as usual');
  expect(comparison(trafficOf({ usualUplinks: 80 }))).toBe('25% more than usual');
  expect(comparison(trafficOf({ usualUplinks: 125 }))).toBe('20% fewer than usual');
  expect(comparison(trafficOf({ usualUplinks: 0 }))).toBe('');
  const fresh = { ...trafficOf({ comparedDays: 0 }), countedFrom: timeAt(2) };
  expect(comparison(fresh)).toBe('counted since 13:00');
  const hours = fresh.hours.map((hour) => ({ ...hour, uplinks: 0 }));
  expect(comparison({ ...fresh, hours })).toBe('');
});
