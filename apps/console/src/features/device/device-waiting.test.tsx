import { act, fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api/client.ts';
import { renderPage } from '../../testing/render.tsx';
import { DeviceWaiting } from './device-waiting.tsx';
import type { EventItem } from './event-kind.ts';

const { streams, server } = vi.hoisted(() => ({
  streams: new Map<string, (item: never) => void>(),
  server: {
    state: 'connected',
    device: {} as object,
    profile: null as object | null,
    run: async (_request: object): Promise<object> => ({}),
    saved: [] as object[],
    history: [] as object[],
  },
}));
vi.mock('../../api/live.ts', () => ({
  useLive: (path: string, onItem: (item: never) => void) => {
    streams.set(path, onItem);
    return { state: server.state };
  },
}));
vi.mock('./use-device.ts', () => ({
  useDeviceOf: () => server.device,
  useProfileOf: () => ({ data: server.profile && { deviceProfile: server.profile } }),
}));
vi.mock('../../api/client.ts', async (original) => ({
  ...(await original<object>()),
  api: {
    history: { list: { isOffered: async () => true } },
    codecRun: { create: (request: object) => server.run(request) },
    deviceProfile: { update: async (request: object) => server.saved.push(request) },
  },
}));
vi.mock('../../api/queries.ts', () => ({
  perform: (call: Promise<unknown>) => call,
  query: () => ({ queryFn: async () => ({ result: server.history }) }),
}));
vi.mock('../../components/code-editor/code-editor.tsx', () => ({
  CodeEditor: ({ value, onChange, error }: { value: string; onChange: (text: string) => void; error?: string }) => (
    <label>
      Decoder
      <textarea value={value} onChange={(event) => onChange(event.currentTarget.value)} />
      {error}
    </label>
  ),
}));
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));

const isThere = { data: { device: { name: 'meter' } }, error: null };
beforeEach(() => {
  server.state = 'connected';
  server.device = isThere;
  server.profile = null;
  server.saved = [];
  server.history = [];
});

const send = (type: string, payload: object, publishedAt: string | null = null) =>
  act(async () => {
    const item: EventItem = { type, payloadJSON: JSON.stringify(payload), publishedAt, streamID: '1-0' };
    streams.get('/api/devices/d/events')?.(item as never);
  });
const answer = (publishedAt: string | null = null) =>
  act(async () => {
    const downlinkFrame = { phyPayloadJSON: '{"mhdr":{"mType":"JoinAccept"}}', publishedAt };
    streams.get('/api/devices/d/frames')?.({ downlinkFrame } as never);
  });

it('shows why a join was refused and links to the cause, until a join succeeds', async () => {
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  expect(screen.getByText('Waiting for join')).toBeTruthy();
  await send('error', { type: 'OTAA', error: 'The MIC is wrong: device and server have different keys.' });
  expect(screen.getByText('Its join was refused')).toBeTruthy();
  const failed = screen.getByRole('img', { name: 'failed' });
  expect(failed.closest('li')?.textContent).toBe('Join refused');
  expect(screen.getByText(/different keys/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Check its key' }).getAttribute('href')).toMatch(/\/keys$/);
  await send('error', { type: 'OTAA', error: 'validate dev-nonce error' });
  expect(screen.getByRole('link', { name: 'Clear its DevNonces' }).getAttribute('href')).toMatch(/\/activation$/);
  await send('join', { devAddr: 'AavN7w==' });
  expect(screen.queryByText('Its join was refused')).toBeNull();
  expect(screen.queryByRole('img', { name: 'failed' })).toBeNull();
  expect(screen.getByText('Its address is 01abcdef.')).toBeTruthy();
});

it('stops waiting for a deleted device', async () => {
  server.device = { ...isThere, error: new ApiError('device d does not exist', 5, 404) };
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  expect(screen.queryByText('Waiting for join')).toBeNull();
  expect(screen.getByText('Page not found')).toBeTruthy();
});

it('shows that the connection is lost while the server is unreachable', async () => {
  server.state = 'closed';
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  expect(screen.getByText(/server cannot be reached/)).toBeTruthy();
  expect(screen.getByText('Waiting for join')).toBeTruthy();
});

it('shows an answered join before the next uplink', async () => {
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  await answer();
  expect(screen.getByText(/The join was accepted/)).toBeTruthy();
  await send('join', { devAddr: 'AavN7w==' });
  expect(screen.queryByText(/The join was accepted/)).toBeNull();
});

it('shows the later one of refusal and answer, whichever stream delivers first', async () => {
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  const refusal = { type: 'OTAA', error: 'validate dev-nonce error' };
  await answer('2026-11-23T06:00:02Z');
  await send('error', refusal, '2026-11-23T06:00:01Z');
  expect(screen.queryByText('Its join was refused')).toBeNull();
  expect(screen.getByText(/The join was accepted/)).toBeTruthy();
  await send('error', refusal, '2026-11-23T06:00:03Z');
  expect(screen.getByText('Its join was refused')).toBeTruthy();
  expect(screen.queryByText(/The join was accepted/)).toBeNull();
  await answer('2026-11-23T06:00:04Z');
  expect(screen.queryByText('Its join was refused')).toBeNull();
});

it('gives the focus to the state, then to the first value', async () => {
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'State of the device' }));
  await send('up', { fPort: 2, data: 'AQ==', objectJSON: '{"temperature":21.5}' });
  expect(document.activeElement).toBe(screen.getByRole('region', { name: 'First value' }));
  expect(screen.getByRole('link', { name: 'integration' }).getAttribute('href')).toMatch(
    /applications\/2\/integrations$/,
  );
});

it('shows the first value with the unit from the codec', async () => {
  const quantities = { temperature: { quantity: 'temperature', unit: '°C' } };
  server.history = [{ streamID: '1-0', noteJSON: JSON.stringify({ quantities }) }];
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  await send('up', { fPort: 2, data: 'AQ==', objectJSON: '{"temperature":21.5}' });
  expect(await screen.findByText('21.5 °C')).toBeTruthy();
});

const decoded = { objectJSON: '{"temperature":21.5}', warnings: ['old firmware'], errors: [], error: '', line: 0 };
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

it('decodes the received bytes with a codec before it is saved', async () => {
  server.profile = { id: 'p', name: 'generic', payloadCodec: '', payloadDecoderScript: '' };
  const runs: object[] = [];
  server.run = async (request) => {
    runs.push(request);
    return { results: [decoded] };
  };
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  await send('up', { fPort: 2, data: 'AQ==' });
  expect((await screen.findByLabelText('Preview of the decoded values')).textContent).toMatch(/temperature.*21\.5/);
  expect(screen.getByText('Warning: old firmware')).toBeTruthy();
  expect(runs[0]).toMatchObject({ codec: 'CAYENNE_LPP', runs: [{ direction: 'UPLINK', fPort: 2, data: 'AQ==' }] });
  expect(server.saved).toEqual([]);
  await press('Use this codec');
  expect(server.saved).toMatchObject([{ deviceProfile: { id: 'p', payloadCodec: 'CAYENNE_LPP' } }]);
  expect(document.activeElement).toBe(screen.getByText(/reads the next uplink/));
});

it('shows the line of an error, and saves a script only after it has decoded the bytes', async () => {
  server.profile = { id: 'p', name: 'generic', payloadCodec: 'CUSTOM_JS', payloadDecoderScript: 'function Decode( {}' };
  const scripts: unknown[] = [];
  server.run = async (request) => {
    const { decoderScript } = request as { decoderScript: string };
    scripts.push(decoderScript);
    return {
      results: [
        decoderScript.includes('( {}') ? { ...decoded, objectJSON: '', error: 'Unexpected token', line: 1 } : decoded,
      ],
    };
  };
  await renderPage(<DeviceWaiting devEUI="d" applicationID="2" />);
  await send('up', { fPort: 2, data: 'AQ==' });
  expect(await screen.findByText(/Line 1: Unexpected token/)).toBeTruthy();
  const use = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Use this codec' });
  expect(use().disabled).toBe(true);
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'function Decode() {}' } });
  expect(use().disabled).toBe(true);
  await press('Run');
  expect((await screen.findByLabelText('Preview of the decoded values')).textContent).toMatch(/temperature.*21\.5/);
  expect(scripts).toHaveLength(2);
  await press('Use this codec');
  expect(server.saved).toMatchObject([{ deviceProfile: { payloadDecoderScript: 'function Decode() {}' } }]);
});
