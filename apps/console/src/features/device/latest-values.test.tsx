import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import type { EventItem } from './event-kind.ts';
import { LatestValues } from './latest-values.tsx';
import { LastEventsOf } from './use-last-events.tsx';

const { stream, device } = vi.hoisted(() => ({
  stream: { send: (_item: EventItem) => {} },
  device: { data: { device: { deviceProfileID: 'p' } }, dataUpdatedAt: 0, refetch: vi.fn() },
}));
vi.mock('../../api/live.ts', () => ({
  useLive: (_path: string, onItem: (item: EventItem) => void) => {
    stream.send = onItem;
    return { state: 'connected' };
  },
}));
vi.mock('./use-device.ts', () => ({ useDevice: () => device }));

const at = '2026-11-21T10:00:00Z';
const send = (type: string, payload: object, streamID = '1-0') =>
  act(async () => stream.send({ type, payloadJSON: JSON.stringify(payload), publishedAt: at, streamID }));

const page = (
  <LastEventsOf devEUI="d">
    <LatestValues />
  </LastEventsOf>
);

beforeEach(() => {
  device.dataUpdatedAt = Date.parse(at);
});

it('shows the last decoded uplink, even after later events of other types', async () => {
  await renderPage(page);
  expect(screen.getByText(/^No values yet/)).toBeTruthy();
  await send('up', { objectJSON: '{"temperatureSensor":{"1":17.3},"air":{"value":56,"unit":"%"}}' });
  await send('up', { fPort: 0, data: '' });
  expect(screen.getByText('17.3 °C')).toBeTruthy();
  expect(screen.getByText('56 %')).toBeTruthy();
});

it('shows the bytes of an uplink without codec', async () => {
  await renderPage(page);
  await send('up', { fPort: 7, data: 'AQID' });
  expect(screen.getByText('010203')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'its device-profile' })).toBeTruthy();
});

it('links to the last error, and refetches the device', async () => {
  device.dataUpdatedAt = 0;
  await renderPage(page);
  await send('error', { type: 'OTAA', error: 'Its key is another one.' }, '5-3');
  expect(screen.getByRole('link', { name: 'OTAA' }).getAttribute('href')).toMatch(/event=5-3$/);
  expect(device.refetch).toHaveBeenCalled();
});
