import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { AtFootOfPhone, WithFoot } from './page-foot.tsx';

const before = globalThis.matchMedia;
afterEach(() => vi.stubGlobal('matchMedia', before));

const words = async () => {
  await renderPage(
    <main>
      <WithFoot>
        <AtFootOfPhone>
          <button type="button">Delete</button>
        </AtFootOfPhone>
        <p>the page</p>
      </WithFoot>
    </main>,
  );
  return screen.getByRole('main').textContent;
};

it('stands where it is written at a desk', async () => {
  expect(await words()).toBe('Deletethe page');
});

it('stands below everything else on a phone, also for who goes through the page by keyboard', async () => {
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(before(query), { matches: query.includes('max-width') }),
  );
  expect(await words()).toBe('the pageDelete');
});
