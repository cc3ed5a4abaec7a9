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

it('is rendered in place on a desktop', async () => {
  expect(await words()).toBe('Deletethe page');
});

it('is at the end of the page on a phone, also in the tab order', async () => {
  vi.stubGlobal('matchMedia', (query: string) =>
    Object.assign(before(query), { matches: query.includes('max-width') }),
  );
  expect(await words()).toBe('the pageDelete');
});
