import type { UseQueryResult } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { Loaded } from './loaded.tsx';

const page = (query: object) =>
  renderPage(
    <Loaded
      query={query as UseQueryResult<string>}
      skeleton={<p>skeleton of the head</p>}
      below={<p>what stands below</p>}
    >
      {(name) => <h1>{name}</h1>}
    </Loaded>,
  );
const below = () => screen.queryByText('what stands below');

it('shows the content below while its query loads, and after it has loaded', async () => {
  const { unmount } = await page({ isPending: true });
  expect(screen.getByText('skeleton of the head')).toBeTruthy();
  expect(below()).toBeTruthy();
  unmount();
  await page({ data: 'north' });
  expect(screen.getByRole('heading', { name: 'north' })).toBeTruthy();
  expect(below()).toBeTruthy();
});

it.each([5, 7, 13])('shows nothing below what cannot be shown (code %i)', async (code) => {
  const error = new ApiError('no', code, 400);
  await page({ error, data: code === 13 ? undefined : 'north', isPending: false });
  expect(screen.queryByRole('heading', { name: 'north' })).toBeNull();
  expect(below()).toBeNull();
});

it('calls a page not found when its address has no ID in the place of one', async () => {
  const query = {
    error: new ApiError('id: Must be a UUID.', 3, 400),
    isPending: false,
  } as unknown as UseQueryResult<string>;
  const { unmount } = await renderPage(<Loaded query={query}>{(name) => <h1>{name}</h1>}</Loaded>);
  expect(screen.queryByRole('heading', { name: 'Page not found' })).toBeNull();
  unmount();
  await renderPage(
    <Loaded isPage query={query}>
      {(name) => <h1>{name}</h1>}
    </Loaded>,
  );
  expect(screen.getByRole('heading', { name: 'Page not found' })).toBeTruthy();
});
