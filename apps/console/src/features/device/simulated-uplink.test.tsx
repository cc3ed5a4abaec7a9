import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { SimulatedUplink } from './simulated-uplink.tsx';

const devEUI = '0a1b2c3d4e5f6071';
const { send, answers } = vi.hoisted(() => ({
  send: vi.fn(async (_request: object) => ({
    eventID: '0a1b2c3d4e5f6071-5-1',
    payloadJSON: '{"objectJSON":"{\\"level\\":42}"}',
    noteJSON: '{"quantities":{"level":{"quantity":"percentage","unit":"%"}}}',
    codecError: '',
  })),
  answers: {
    getOptions: (): object => ({
      dataRates: [
        { dr: 0, modulation: 'SF12, 125 kHz', maxBytes: 51 },
        { dr: 5, modulation: 'SF7, 125 kHz', maxBytes: 222 },
      ],
      dr: 5,
    }),
    ofDevice: (): object => ({
      result: [{ eventID: '0a1b2c3d4e5f6071-5-1', deliveries: [{ kind: 'HTTP', place: 'DELIVERED', message: '' }] }],
    }),
  } as Record<string, () => object>,
}));
vi.mock('../../api/client.ts', () => ({ ApiError: class extends Error {}, api: { simulatedUplink: { send } } }));
vi.mock('../../api/queries.ts', () => ({
  perform: async (call: Promise<unknown>) => call,
  query: (resource: string, verb: string) => ({ queryKey: [resource, verb], queryFn: async () => answers[verb]!() }),
}));
vi.mock('../../components/link/use-ids.ts', () => ({
  useIDs: () => ({ organizationID: '1', applicationID: '2', devEUI }),
}));
vi.mock('./use-last-events.tsx', () => ({
  useKnownEvents: () => ({ up: { type: 'up', payloadJSON: '{"fPort":7}' } }),
}));
// CodeMirror measures text, which the DOM of the tests cannot.
vi.mock('../../components/code-editor/code-editor.tsx', () => ({
  CodeEditor: ({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) => (
    <textarea aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
  ),
}));

beforeEach(() => {
  vi.clearAllMocks();
});

async function open() {
  await renderPage(<SimulatedUplink devEUI={devEUI} onLeave={() => {}} />);
  const user = userEvent.setup();
  await screen.findByRole('textbox', { name: 'Port' });
  const press = () => user.click(screen.getByRole('button', { name: 'Send uplink' }));
  return { user, press, sent: () => send.mock.lastCall![0] };
}

describe('the form of a simulated uplink', () => {
  it('suggests port and data-rate of the last uplink, and sends hexadecimal bytes', async () => {
    const { user, press, sent } = await open();
    await user.type(screen.getByRole('textbox', { name: 'Hexadecimal payload' }), '2a00');
    await press();
    expect(sent()).toEqual({ devEUI, fPort: 7, dr: 5, rssi: -60, snr: 9, data: 'KgA=' });
  });

  it('sends a decoded object without bytes', async () => {
    const { user, press, sent } = await open();
    await user.click(screen.getByRole('tab', { name: 'JSON object' }));
    await user.click(screen.getByRole('textbox', { name: 'Decoded object' }));
    await user.paste('{"temperature":21.5}');
    await press();
    expect(sent()).toMatchObject({ objectJSON: '{"temperature":21.5}' });
    expect(sent()).not.toHaveProperty('data');
  });

  it('shows the values, where the event was delivered, and stays open for the next one', async () => {
    const { user, press } = await open();
    await user.type(screen.getByRole('textbox', { name: 'Hexadecimal payload' }), '2a');
    await press();
    expect(await screen.findByText('42 %')).toBeDefined();
    expect(await screen.findByText('delivered')).toBeDefined();
    expect(screen.getByText(`application/2/device/${devEUI}/event/up`)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Show the event' })).toBeDefined();
    await press();
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('shows the error of the codec', async () => {
    send.mockResolvedValueOnce({
      eventID: `${devEUI}-5-1`,
      payloadJSON: '{}',
      noteJSON: '',
      codecError: 'too short (line 3)',
    });
    const { press } = await open();
    await press();
    expect(await screen.findByText('too short (line 3)')).toBeDefined();
    expect(screen.getByText('Sent, not decoded')).toBeDefined();
  });

  it('says why the device cannot send', async () => {
    const { getOptions } = answers;
    answers['getOptions'] = () => {
      throw new Error('The device is on a remote network-server.');
    };
    await renderPage(<SimulatedUplink devEUI={devEUI} onLeave={() => {}} />);
    expect(await screen.findByText(/remote network-server/)).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Send uplink' })).toBeNull();
    answers['getOptions'] = getOptions!;
  });
});
