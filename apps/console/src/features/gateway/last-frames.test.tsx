import { act, screen, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { LastFrames } from './last-frames.tsx';

const { stream } = vi.hoisted(() => ({ stream: { send: (_item: object) => {} } }));
vi.mock('../../api/live.ts', () => ({
  useLive: (_path: string, onItem: (item: object) => void) => {
    stream.send = onItem;
    return { state: 'connected' };
  },
}));
vi.stubGlobal('requestAnimationFrame', (draw: () => void) => {
  draw();
  return 1;
});

const frame = (second: number) => ({
  uplinkFrame: {
    txInfo: { frequency: 868_100_000 + second, loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7 } },
    rxInfo: [{ rssi: -61.4, loRaSNR: -1.6894533346601008 }],
    phyPayloadJSON: '{"mhdr":{"mType":"UnconfirmedDataUp"}}',
    publishedAt: `2026-11-21T10:15:0${second}Z`,
  },
});
const send = (second: number) => act(async () => stream.send(frame(second)));
const rows = () => within(screen.getByRole('table')).getAllByRole('row').slice(1);

it('shows the last four frames, the newest first, with rounded signals', async () => {
  await renderPage(<LastFrames gatewayID="b827ebfffe4a0001" />);
  expect(screen.getByText('No frames yet.')).toBeDefined();
  for (const second of [1, 2, 3, 4, 5]) await send(second);
  expect(rows()).toHaveLength(4);
  expect(rows()[0]!.textContent).toMatch(/5.*UnconfirmedDataUp868\.100005 MHzSF7 BW125-61 dBm-1\.7 dB$/);
});

it('shows a frame once, though the stream sends it again after a lost connection', async () => {
  await renderPage(<LastFrames gatewayID="b827ebfffe4a0001" />);
  for (const second of [1, 2, 1, 2]) await send(second);
  expect(rows()).toHaveLength(2);
});
