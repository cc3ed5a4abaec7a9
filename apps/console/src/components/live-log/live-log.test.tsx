import { MantineProvider } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveState } from '../../api/live.ts';
import { downloadText } from '../download/download.ts';
import { LiveLog } from './live-log.tsx';
import { orderOfStreamID } from './log-order.ts';
import type { LogKind } from './log-row.tsx';

interface Item {
  id: string;
}

const stream = vi.hoisted(() => ({ state: 'connected' as LiveState, send: (_item: Item) => {} }));
vi.mock('../../api/live.ts', () => ({
  useLive: (_path: string, onItem: (item: Item) => void) => {
    stream.send = onItem;
    return { state: stream.state };
  },
}));
vi.mock('../download/download.ts', () => ({ downloadText: vi.fn() }));

const kind: LogKind<Item> = {
  noun: 'event',
  typeWidth: '5em',
  chipsLabel: 'Values',
  columns: [{ name: 'fCnt', label: 'FCnt', width: '4em', isNumber: true }],
  orderOf: (item) => orderOfStreamID(item.id),
  identityOf: (item) => item.id,
  headlineOf: (item) => ({ at: '2026-11-21T10:00:00Z', type: item.id, tone: 'plain', chips: [] }),
  detailsOf: () => [],
  exportOf: (item) => ({ exported: item.id }),
};

function open() {
  const log = () => (
    <MantineProvider>
      <LiveLog kind={kind} path="/api/x" fileName="device-1.json" helpTitle="Device data" help="What this is." />
    </MantineProvider>
  );
  const { rerender } = render(log());
  return {
    user: userEvent.setup(),
    turn: (state: LiveState) => {
      stream.state = state;
      rerender(log());
    },
  };
}

const arrive = (...ids: string[]) =>
  act(async () => {
    for (const id of ids) stream.send({ id });
    await new Promise((resolve) => requestAnimationFrame(resolve));
  });

beforeEach(() => {
  stream.state = 'connected';
  vi.mocked(downloadText).mockClear();
});

describe('the live log', () => {
  it('shows whether it is connected, and does not blink during reconnects', () => {
    const { turn } = open();
    expect(screen.getByRole('status').textContent).toBe('Live');
    expect(screen.getByText(/Waiting for the next event/)).toBeDefined();
    turn('closed');
    expect(screen.getByRole('status').textContent).toBe('Not connected to Websocket API');
    turn('connecting');
    expect(screen.getByRole('status').textContent).toBe('Not connected to Websocket API');
    turn('connected');
    expect(screen.getByRole('status').textContent).toBe('Live');
  });

  it('counts the items that it misses while paused, and continues afterwards', async () => {
    const { user } = open();
    await arrive('1-0');
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    await arrive('2-0', '3-0');
    await vi.waitFor(() => expect(screen.getByText('2 missed')).toBeDefined());
    expect(screen.getByText('1 event')).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Resume' }));
    expect(screen.queryByText('2 missed')).toBeNull();
    await arrive('4-0');
    await vi.waitFor(() => expect(screen.getByText('2 events')).toBeDefined());
  });

  it('downloads its entries, newest first, and clears them', async () => {
    const { user } = open();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Download' }).disabled).toBe(true);
    await arrive('1-0', '1-1');
    await vi.waitFor(() => expect(screen.getByText('2 events')).toBeDefined());
    await user.click(screen.getByRole('button', { name: 'Download' }));
    const [fileName, text] = vi.mocked(downloadText).mock.calls[0] ?? [];
    expect(fileName).toBe('device-1.json');
    expect(JSON.parse(text ?? '')).toEqual([{ exported: '1-1' }, { exported: '1-0' }]);
    await user.click(screen.getByRole('button', { name: 'Clear' }));
    expect(screen.getByText('0 events')).toBeDefined();
  });
});
