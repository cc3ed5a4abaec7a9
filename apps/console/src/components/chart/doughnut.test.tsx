import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import type { DoughnutData } from './chart-data.ts';
import { Doughnut } from './doughnut.tsx';

const data: DoughnutData = {
  kind: 'doughnut',
  slices: [
    {
      label: 'Never seen',
      value: 1,
      color: '--state-never',
      link: { to: '/gateways', search: { filter: 'neverSeen' } },
    },
    { label: 'Inactive', value: 0, color: '--state-inactive', link: { to: '/gateways' } },
    { label: 'Active', value: 9998, color: '--state-active' },
  ],
};
const open = (shown = data) =>
  renderPage(<Doughnut title="Active gateways" noun="gateway" data={shown} error={null} retry={() => undefined} />);

it('draws the ring in the same paint as its numbers, one slice for each state that occurs', async () => {
  await open();
  const ring = screen.getByRole('group', { name: 'Active gateways: Never seen 1, Inactive 0, Active 9998.' });
  const slices = [...ring.querySelectorAll('circle')].map((one) => one.getAttribute('stroke'));
  expect(slices).toEqual(['var(--state-never)', 'var(--state-active)']);
  expect(screen.getByText('9,999')).toBeTruthy();
});

it('makes one of thousands visible', async () => {
  await open();
  const [first] = document.querySelectorAll('circle');
  expect(Number.parseFloat(first?.getAttribute('stroke-dasharray') ?? '')).toBeGreaterThan(0.005);
});

it('links slices and rows to their lists, but no row without any', async () => {
  await open();
  const links = screen.getAllByRole('link');
  expect(links.map((one) => [one.textContent, one.getAttribute('href')])).toEqual([
    ['Never seen1', '/gateways?filter=neverSeen'],
  ]);
  const slice = document.querySelector('circle')?.closest('a');
  expect(slice?.getAttribute('href')).toBe('/gateways?filter=neverSeen');
  expect(slice?.tabIndex).toBe(-1);
});

it('names what it counts, one in the singular', async () => {
  const total = () => document.querySelector('[class*="total"]')?.textContent;
  const { unmount } = await open();
  expect(total()).toBe('9,999gateways');
  unmount();
  await open({ ...data, slices: data.slices.slice(0, 1) });
  expect(total()).toBe('1gateway');
});
