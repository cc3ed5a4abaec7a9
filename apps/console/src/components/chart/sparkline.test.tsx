import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Sparkline } from './sparkline.tsx';

it('hatches the last bar, which is not over, and no other', () => {
  render(<Sparkline label="Gateway activity" values={[10, 20, 5]} />);
  const chart = screen.getByRole('img', { name: 'Gateway activity: 35 in 3 days' });
  const barsOf = (path: Element) => (path.getAttribute('d')?.match(/M/g) ?? []).length;
  const [, over, open] = [...chart.querySelectorAll('path')];
  expect([barsOf(over!), over!.getAttribute('fill')]).toEqual([2, null]);
  expect([barsOf(open!), open!.getAttribute('fill')]).toEqual([1, `url(#${chart.querySelector('pattern')?.id})`]);
});
