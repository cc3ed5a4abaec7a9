import { MantineProvider } from '@mantine/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Toasts, toast } from './toast.tsx';

beforeEach(() => {
  vi.useFakeTimers();
  render(<Toasts />, { wrapper: ({ children }) => <MantineProvider env="test">{children}</MantineProvider> });
});
afterEach(() => {
  pass(60_000);
  vi.useRealTimers();
});

function pass(ms: number) {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
}

describe('Toasts', () => {
  it('leave after three seconds', () => {
    act(() => toast.success('device has been created'));
    pass(2900);
    expect(screen.queryByText('device has been created')).not.toBeNull();
    pass(200);
    expect(screen.queryByText('device has been created')).toBeNull();
  });

  it('say the same only once at a time', () => {
    act(() => toast.error('The server cannot be reached.'));
    pass(2000);
    act(() => toast.error('The server cannot be reached.'));
    expect(screen.getAllByText('The server cannot be reached.')).toHaveLength(1);
    pass(2900);
    expect(screen.queryByText('The server cannot be reached.')).not.toBeNull();
  });

  it('stay while the pointer is on them', () => {
    act(() => toast.success('read me'));
    fireEvent.mouseEnter(screen.getByRole('region', { name: 'Notifications' }));
    pass(10_000);
    expect(screen.queryByText('read me')).not.toBeNull();
    fireEvent.mouseLeave(screen.getByRole('region', { name: 'Notifications' }));
    pass(3100);
    expect(screen.queryByText('read me')).toBeNull();
  });

  it('go on leaving after one was closed by hand', () => {
    act(() => toast.success('closed by hand'));
    const close = screen.getByRole('button', { name: 'Close notification' });
    fireEvent.mouseEnter(screen.getByRole('region', { name: 'Notifications' }));
    act(() => close.focus());
    fireEvent.click(close);
    expect(screen.queryByText('closed by hand')).toBeNull();
    act(() => toast.success('the next'));
    pass(3100);
    expect(screen.queryByText('the next')).toBeNull();
  });

  it('tell errors apart for the ear as well', () => {
    act(() => {
      toast.success('fine');
      toast.error('not fine');
    });
    expect(screen.getByRole('status').textContent).toBe('fine');
    expect(screen.getByRole('alert').textContent).toBe('not fine');
  });
});
