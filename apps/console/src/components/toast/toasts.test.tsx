import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toast } from './toast.ts';
import { Toasts } from './toasts.tsx';

beforeEach(() => {
  vi.useFakeTimers();
  render(<Toasts />, { wrapper: ({ children }) => <MantineProvider env="test">{children}</MantineProvider> });
});
afterEach(() => {
  advance(60_000);
  vi.useRealTimers();
});

function advance(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
}

describe('Toasts', () => {
  it('disappear after three seconds', () => {
    act(() => toast.success('device has been created'));
    advance(2900);
    expect(screen.queryByText('device has been created')).not.toBeNull();
    advance(200);
    expect(screen.queryByText('device has been created')).toBeNull();
  });

  it('stay ten seconds when they need attention', () => {
    act(() => toast.attention('The decoder fails.'));
    advance(9900);
    expect(screen.getByRole('status').textContent).toBe('The decoder fails.');
    advance(200);
    expect(screen.queryByText('The decoder fails.')).toBeNull();
  });

  it('do not show the success of an action that needs attention', () => {
    act(() => {
      toast.success('device-profile has been updated');
      toast.attention('The saved decoder fails.');
    });
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toEqual(['The saved decoder fails.']);
  });

  it('show a repeated message once', () => {
    act(() => toast.error('The server cannot be reached.'));
    advance(2000);
    act(() => toast.error('The server cannot be reached.'));
    expect(screen.getAllByText('The server cannot be reached.')).toHaveLength(1);
    advance(2900);
    expect(screen.queryByText('The server cannot be reached.')).not.toBeNull();
  });

  it('stay while the pointer is on one of them', () => {
    act(() => toast.success('read me'));
    fireEvent.mouseEnter(screen.getByRole('region', { name: 'Notifications' }));
    advance(10_000);
    expect(screen.queryByText('read me')).not.toBeNull();
    fireEvent.mouseLeave(screen.getByRole('region', { name: 'Notifications' }));
    advance(3100);
    expect(screen.queryByText('read me')).toBeNull();
  });

  it('still disappear after a user closed one', () => {
    act(() => toast.success('closed by hand'));
    const close = screen.getByRole('button', { name: 'Close notification' });
    fireEvent.mouseEnter(screen.getByRole('region', { name: 'Notifications' }));
    act(() => close.focus());
    fireEvent.click(close);
    expect(screen.queryByText('closed by hand')).toBeNull();
    act(() => toast.success('the next'));
    advance(3100);
    expect(screen.queryByText('the next')).toBeNull();
  });

  it('announce successes as status and errors as alert', () => {
    act(() => {
      toast.success('fine');
      toast.error('not fine');
    });
    expect(screen.getByRole('status').textContent).toBe('fine');
    expect(screen.getByRole('alert').textContent).toBe('not fine');
  });
});
