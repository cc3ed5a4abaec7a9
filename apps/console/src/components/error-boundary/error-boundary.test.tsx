import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { ErrorBoundary } from './error-boundary.tsx';

function Page({ address }: { address: string }) {
  if (address === '/broken') throw new Error('The page is broken.');
  return <p>fine</p>;
}

const at = (address: string) => (
  <MantineProvider env="test">
    <ErrorBoundary resetKey={address}>
      <Page address={address} />
    </ErrorBoundary>
  </MantineProvider>
);

it('shows the error of a page until the address changes', () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { rerender } = render(at('/broken'));
  expect(screen.getByRole('alert').textContent).toContain('The page is broken.');
  rerender(at('/other'));
  expect(screen.getByText('fine')).toBeTruthy();
  logged.mockRestore();
});
