import { screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { Branding } from './branding.tsx';

vi.mock('./branding-html.tsx', () => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));

it('renders nothing when the sanitiser cannot be loaded', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  await renderPage(
    <main>
      <p>the page</p>
      <Branding html="<b>Example</b>" />
    </main>,
  );
  const page = within(screen.getByRole('main'));
  expect(await page.findByRole('alert')).toBeTruthy();
  expect(page.getByText('the page')).toBeTruthy();
  logged.mockRestore();
});
