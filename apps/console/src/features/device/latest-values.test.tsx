import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import type { EventItem } from './event-kind.ts';
import { LatestValues } from './latest-values.tsx';
import { LastEventsOf } from './use-last-events.tsx';

const { stream, device, history } = vi.hoisted(() => ({
  history: { isOffered: true, read: vi.fn(async (): Promise<object> => ({ result: [] })) },
  stream: { send: (_item: EventItem) => {} },
  device: { data: { device: { deviceProfileID: 'p' } }, dataUpdatedAt: 0, refetch: vi.fn() },
}));
vi.mock('../../api/live.ts', () => ({
  useLive: (_path: string, onItem: (item: EventItem) => void) => {
    stream.send = onItem;
    return { state: 'connected' };
  },
}));
vi.mock('../../api/client.ts', () => ({ api: { history: { list: { isOffered: async () => history.isOffered } } } }));
vi.mock('../../api/queries.ts', () => ({ query: () => ({ queryFn: history.read }) }));
vi.mock('./use-device.ts', () => ({ useDevice: () => device }));

const at = '2026-11-21T10:00:00Z';
const send = (type: string, payload: object, streamID = '1-0') =>
  act(async () => stream.send({ type, payloadJSON: JSON.stringify(payload), publishedAt: at, streamID }));
/** Moves the clock, at which events are shown together. */
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

async function open() {
  await renderPage(page);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
}
afterEach(() => void vi.useRealTimers());

const page = (
  <LastEventsOf devEUI="d">
    <LatestValues />
  </LastEventsOf>
);

beforeEach(() => {
  device.dataUpdatedAt = Date.parse(at);
  history.isOffered = true;
  history.read.mockReset().mockResolvedValue({ result: [] });
});

it('shows the last decoded uplink, even after later events of other types', async () => {
  await open();
  expect(screen.getByText(/^No values yet/)).toBeTruthy();
  await send('up', { objectJSON: '{"temperatureSensor":{"1":17.3},"air":{"value":56,"unit":"%"}}' });
  await send('up', { fPort: 0, data: '' });
  await pass(100);
  expect(screen.getByText('17.3 °C')).toBeTruthy();
  expect(screen.getByText('56 %')).toBeTruthy();
});

it('shows the bytes of an uplink without codec', async () => {
  await open();
  await send('up', { fPort: 7, data: 'AQID' });
  await pass(100);
  expect(screen.getByText('010203')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'its device-profile' })).toBeTruthy();
});

it('links to the last error, and refetches the device', async () => {
  device.dataUpdatedAt = 0;
  await open();
  await send('error', { type: 'OTAA', error: 'Its key is another one.' }, '5-3');
  await pass(100);
  expect(screen.getByRole('link', { name: 'OTAA' }).getAttribute('href')).toMatch(/event=5-3$/);
  expect(device.refetch).toHaveBeenCalled();
});

describe('the unit from the codec', () => {
  const quantities = { temp: { quantity: 'temperature', unit: '°F' } };
  const stored = (streamID: string, note: object) => ({ streamID, kind: 'up', noteJSON: JSON.stringify(note) });
  const up = (streamID: string, temp: number) => send('up', { objectJSON: JSON.stringify({ temp }) }, streamID);

  it('is read from the history, once after many uplinks in one second', async () => {
    history.read.mockResolvedValue({ result: [stored('7-0', { quantities })] });
    await open();
    await up('7-0', 70);
    await pass(100);
    await pass(1);
    expect(screen.getByText('70 °F')).toBeTruthy();
    history.read.mockResolvedValue({ result: [stored('9-0', {}), stored('8-0', { quantities })] });
    await up('8-0', 71);
    await up('9-0', 22);
    await pass(100);
    expect(screen.getByText('22 °F')).toBeTruthy();
    await pass(800);
    expect(history.read).toHaveBeenCalledTimes(1);
    await pass(150);
    expect(history.read).toHaveBeenCalledTimes(2);
    expect(screen.getByText('22')).toBeTruthy();
    await up('10-0', 23);
    await pass(800);
    expect(history.read).toHaveBeenCalledTimes(2);
    await pass(150);
    expect(history.read).toHaveBeenCalledTimes(3);
  });

  it('is not asked for again when the codec returns none', async () => {
    history.read.mockResolvedValue({ result: [stored('7-0', { bestRSSI: -70 })] });
    await open();
    await up('7-0', 70);
    await pass(100);
    await up('8-0', 71);
    await pass(5000);
    expect(screen.getByText('71')).toBeTruthy();
    expect(history.read).toHaveBeenCalledTimes(1);
  });

  it('is missing on a server without history', async () => {
    history.isOffered = false;
    await open();
    await up('7-0', 70);
    await pass(100);
    expect(screen.getByText('70')).toBeTruthy();
    expect(history.read).not.toHaveBeenCalled();
  });
});
