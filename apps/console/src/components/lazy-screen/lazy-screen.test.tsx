import { MantineProvider } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { ErrorBoundary } from '../error-boundary/error-boundary.tsx';
import { lazyScreen } from './lazy-screen.tsx';

const Page = () => <p>the page</p>;

const draw = (Screen: () => ReactNode) =>
  act(async () => {
    render(
      <MantineProvider env="test">
        <ErrorBoundary>
          <Suspense>
            <Screen />
          </Suspense>
        </ErrorBoundary>
      </MantineProvider>,
    );
  });

describe('lazyScreen', () => {
  it('fetches its code once, by preload or by rendering', async () => {
    const load = vi.fn(async () => Page);
    const Screen = lazyScreen(load);
    await Screen.preload();
    await draw(Screen);
    expect(screen.getByText('the page')).toBeTruthy();
    expect(load).toHaveBeenCalledOnce();
  });

  it('retries after a failed preload', async () => {
    const load = vi.fn(async () => Page).mockRejectedValueOnce(new TypeError('Failed to fetch'));
    const Screen = lazyScreen(load);
    await Screen.preload();
    await draw(Screen);
    expect(await screen.findByText('the page')).toBeTruthy();
  });

  it('shows the error in place when the server is unreachable', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    await draw(lazyScreen(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module: x.js'))));
    expect((await screen.findByRole('alert')).textContent).toContain('The server may be restarting');
    logged.mockRestore();
  });
});
