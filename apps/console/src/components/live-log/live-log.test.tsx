import { MantineProvider } from '@mantine/core';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveState } from '../../api/live.ts';
import { downloadText } from '../download/download.ts';
import { LiveLog } from './live-log.tsx';
import type { LogKind } from './log-kind.ts';
import { linesOf } from './log-lines.ts';
import { orderOfStreamID } from './log-order.ts';
import type { LogHistory, LogPage, LogRequest } from './log-source.ts';
import { LogStore } from './log-store.ts';
import { StoredPart } from './stored-part.ts';

interface Item {
  id: string;
  note?: string;
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
  noticeOf: ({ note }) => note,
  exportOf: (item) => ({ exported: item.id }),
};

function open(history?: LogHistory<Item>) {
  const log = () => (
    <MantineProvider>
      <LiveLog
        kind={kind}
        source={{ path: '/api/x', history }}
        fileName="device-1.json"
        downloads={[{ label: 'All', start: () => {} }]}
        helpTitle="Device data"
        help="What this is."
      />
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

  it('completes live items from the history a moment later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const reach = {
        newer: '',
        older: '',
        isComplete: true,
        searchedTo: null,
        storedSince: null,
        maxDays: 0,
        maxEvents: 0,
      };
      let items: Item[] = [];
      const read = vi.fn(async () => ({ ...reach, items }));
      const history = { read, cursorOf: ({ id }: Item) => id, hasMoreOf: ({ note }: Item) => note === undefined };
      const store = new LogStore<Item>({
        caps: { live: 9, extended: 9 },
        orderOf: kind.orderOf,
        identityOf: kind.identityOf,
        schedule: (work) => work(),
      });
      const stored = new StoredPart(store, history);
      for (const id of ['1-0', '2-0']) {
        store.add({ id });
        stored.arrived({ id });
      }
      items = [{ id: '2-0', note: '3 lost' }];
      await vi.advanceTimersByTimeAsync(2000);
      expect(store.view().entries.map(({ item }) => item)).toEqual([{ id: '2-0', note: '3 lost' }, { id: '1-0' }]);
      expect(read).toHaveBeenCalledOnce();
      stored.arrived({ id: '2-0', note: '' });
      await vi.advanceTimersByTimeAsync(2000);
      expect(read).toHaveBeenCalledOnce();
    } finally {
      vi.useRealTimers();
    }
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

const hour = 3_600_000;

/** A history of these items, the newest first, that answers when the test says so. */
function storedItems(ids: string[]) {
  const requests: LogRequest[] = [];
  let failure: Error | undefined;
  const position = (cursor: string) => ids.indexOf(cursor);
  const read = async ({ before, after, limit, ...rest }: LogRequest): Promise<LogPage<Item>> => {
    requests.push({ ...rest, ...(before && { before }), ...(after && { after }), limit });
    if (failure) throw failure;
    const to = after === undefined ? ids.length : position(after);
    const from = before === undefined ? (after === undefined ? 0 : Math.max(0, to - limit)) : position(before) + 1;
    const items = ids.slice(from, Math.min(to, from + limit)).map((id) => ({ id }));
    return {
      items,
      newer: from > 0 ? ids[from]! : '',
      older: from + items.length < ids.length ? (items.at(-1)?.id ?? '') : '',
      isComplete: true,
      searchedTo: null,
      storedSince: '2026-10-23T12:00:00Z',
      maxDays: 30,
      maxEvents: 10_000,
    };
  };
  return {
    history: { read, cursorOf: (item: Item) => item.id },
    requests,
    fail: (error: Error | undefined) => {
      failure = error;
    },
    add: (...more: string[]) => ids.unshift(...more),
  };
}

const count = (text: string) => vi.waitFor(() => expect(screen.getByText(text)).toBeDefined());
const press = (user: ReturnType<typeof userEvent.setup>, name: string) =>
  user.click(screen.getByRole('button', { name }));

describe('a log with a history', () => {
  it('opens with stored items, loads older ones, and shows their retention', async () => {
    const stored = storedItems(Array.from({ length: 70 }, (_, index) => `${170 - index}-0`));
    const { user } = open(stored.history);
    await count('50 events');
    await arrive('170-0', '171-0');
    await count('51 events');
    await press(user, 'Load older');
    await count('71 events');
    expect(stored.requests.at(-1)).toEqual({ before: '121-0', limit: 50 });
    expect(
      screen.getByText(/^Stored since .*23\. Older events are removed after 30 days or 10,000 events\.$/),
    ).toBeDefined();
  });

  it('loads what a pause missed, each item once', async () => {
    const stored = storedItems(['10-0']);
    const { user } = open(stored.history);
    await count('1 event');
    await press(user, 'Pause');
    await arrive('11-0', '12-0');
    stored.add('12-0', '11-0');
    await count('2 missed');
    await press(user, 'Load them');
    await count('3 events');
    expect(stored.requests.at(-1)).toEqual({ after: '10-0', limit: 500 });
    expect(screen.queryByText(/missed/)).toBeNull();
    await press(user, 'Resume');
    await arrive('13-0');
    await count('4 events');
  });

  it('fills what a lost connection left out, and asks before it loads more than 500', async () => {
    const stored = storedItems([`${hour}-0`]);
    const { turn } = open(stored.history);
    await count('1 event');
    turn('closed');
    stored.add(...Array.from({ length: 600 }, (_, index) => `${hour + 600 - index}-0`));
    turn('connected');
    await count('501 events');
    expect(stored.requests.at(-1)).toEqual({ after: `${hour}-0`, limit: 500 });
  });

  it('loads the rest of a gap and what a pause missed after it has ended', async () => {
    const stored = storedItems(['1-0']);
    const store = new LogStore<Item>({ ...kind, caps: { live: 1000, extended: 1000 }, schedule: (work) => work() });
    const part = new StoredPart(store, stored.history);
    part.open();
    await vi.waitFor(() => expect(store.view().entries).toHaveLength(1));
    part.pause();
    store.add({ id: '2-0' });
    part.resume();
    expect(part.view().gap?.after).toBe('1-0');
    store.add({ id: '700-0' });
    stored.add(...Array.from({ length: 699 }, (_, index) => `${700 - index}-0`));
    part.fillGap();
    await vi.waitFor(() => expect(part.view().gap?.after).toBe('501-0'));
    part.fillGap();
    await vi.waitFor(() => expect(part.view().gap).toBeUndefined());
    const ids = store.view().entries.map(({ item }) => item.id);
    expect(ids).toEqual(Array.from({ length: 700 }, (_, index) => `${700 - index}-0`));
  });

  it('shows live items while the history cannot be read, and tries again', async () => {
    const stored = storedItems(['10-0']);
    stored.fail(Object.assign(new Error('busy'), { code: 14 }));
    const { user } = open(stored.history);
    await count('The history cannot be read now.');
    await arrive('11-0');
    await count('1 event');
    stored.fail(undefined);
    await press(user, 'Retry');
    await count('2 events');
  });

  it('is only live on a server without the operation', async () => {
    const stored = storedItems([]);
    stored.fail(Object.assign(new Error('not offered'), { code: 12 }));
    open(stored.history);
    await vi.waitFor(() => expect(screen.getByText('Waiting for the next event')).toBeDefined());
    await arrive('1-0');
    await count('1 event');
    expect(screen.queryByText(/history|Kept/)).toBeNull();
    expect(screen.getByRole('button', { name: 'Download' }).getAttribute('aria-haspopup')).toBeNull();
  });

  it('says why a removed item cannot be shown', async () => {
    const stored = storedItems([]);
    stored.fail(
      Object.assign(new Error('This event is no longer stored: events are stored for 30 days.'), { code: 5 }),
    );
    open({ ...stored.history, around: '1-0' });
    await count('This event is no longer stored: events are stored for 30 days.');
    expect(stored.requests).toEqual([{ around: '1-0', limit: 50 }]);
  });

  it('offers the history again after the view was cleared', async () => {
    const stored = storedItems(['10-0']);
    const { user } = open(stored.history);
    await count('1 event');
    await press(user, 'Clear');
    await count('0 events');
    await press(user, 'Show history again');
    await count('1 event');
  });
});

describe('the rows of a log', () => {
  const entry = (ms: number) => ({ key: String(ms), item: { id: `${ms}-0` }, order: [ms, 0] as const });

  it('are divided by days, gaps and lost frames', () => {
    const noon = new Date(2026, 10, 21, 12).getTime();
    const entries = [entry(noon), entry(noon - hour), entry(noon - 24 * hour)];
    const noticeOf = ({ id }: Item) => (id === `${noon - hour}-0` ? '3 uplinks lost' : undefined);
    const gap = { after: `${noon - hour}-0`, order: [noon - hour, 0] as const };
    const lines = linesOf(entries, { noticeOf }, gap);
    expect(lines.map(({ type }) => type)).toEqual(['entry', 'gap', 'entry', 'notice', 'day', 'entry']);
  });
});
