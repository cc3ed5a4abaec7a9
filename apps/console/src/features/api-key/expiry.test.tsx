import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { Expiry } from './expiry.tsx';

const day = 24 * 60 * 60 * 1000;
// One hour more than the days, because the test takes some time.
const inDays = (days: number) => new Date(Date.now() + (days + 1 / 24) * day).toISOString();

for (const [at, text] of [
  [null, /^Never$/],
  [inDays(-1), /^Expired$/],
  [inDays(5), /^Soon in 5 days$/],
  [inDays(20), /^in 20 days$/],
] as const)
  it(`says ${text} of ${at === null ? 'no end' : 'an end'}`, async () => {
    await renderPage(
      <main>
        <Expiry at={at} />
      </main>,
    );
    expect(screen.getByRole('main').textContent).toMatch(text);
  });
