import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { EnqueueForm } from './enqueue-form.tsx';

const { enqueue, create, convert, isOffered } = vi.hoisted(() => ({
  create: vi.fn(async (_request: { downlink: object }) => ({ id: '' })),
  enqueue: vi.fn(async (_request: { deviceQueueItem: object }) => ({ fCnt: 0 })),
  convert: vi.fn(async (_request: { data?: string; jsonObject?: string }) => ({
    data: 'AQID',
    jsonObject: '{"on":1}',
  })),
  isOffered: vi.fn(async () => true),
}));
vi.mock('../../api/client.ts', () => ({
  ApiError: class extends Error {},
  api: {
    deviceQueue: { enqueue },
    downlink: { create },
    downlinkPayload: { convert: Object.assign(convert, { isOffered }) },
  },
}));
vi.mock('../../api/queries.ts', () => ({ perform: async (call: Promise<unknown>) => call }));
vi.mock('./use-device.ts', () => ({ useListening: () => ({ data: { mostBytes: 51, dr: 0 } }) }));
vi.mock('./use-downlinks.ts', () => ({ useOffersDownlinks: () => true }));
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
  await renderPage(<EnqueueForm devEUI="0a1b2c3d4e5f6071" />);
  const user = userEvent.setup();
  await user.type(screen.getByRole('textbox', { name: 'Port' }), '10');
  const show = (name: string) => user.click(screen.getByRole('tab', { name }));
  const send = () => user.click(screen.getByRole('button', { name: 'Enqueue payload' }));
  const sent = () => enqueue.mock.lastCall![0].deviceQueueItem;
  return { user, show, send, sent };
}

const base64 = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Base64 encoded payload' });
const hex = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Hexadecimal payload' });
const object = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'JSON object' });

describe('the enqueue form', () => {
  it('never sends text that is hexadecimal as base64 without asking', async () => {
    const { user, show, send, sent } = await open();
    await show('Base64 encoded');
    await user.type(base64(), '01020304');
    await send();
    expect(enqueue).not.toHaveBeenCalled();
    expect(screen.getByText(/Choose below which bytes you mean/)).toBeDefined();
    await user.click(screen.getByRole('button', { name: 'Hex, 4 bytes: 01 02 03 04' }));
    expect(hex().value).toBe('01020304');
    await send();
    expect(sent()).toMatchObject({ fPort: 10, data: 'AQIDBA==', jsonObject: '' });
  });

  it('sends it as base64 when the user says so, until the text changes', async () => {
    const { user, show, send, sent } = await open();
    await show('Base64 encoded');
    await user.type(base64(), '0102');
    await user.click(screen.getByRole('button', { name: /^Base64, 3 bytes/ }));
    await user.type(base64(), 'abcd');
    await send();
    expect(enqueue).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: /^Base64, 6 bytes/ }));
    await send();
    expect(sent()).toMatchObject({ data: '0102abcd' });
  });

  it('refuses more bytes than fit at the data-rate', async () => {
    const { user, send } = await open();
    await user.click(hex());
    await user.paste('00'.repeat(52));
    await send();
    expect(screen.getByText(/^Enter at most 51 bytes/)).toBeDefined();
    expect(enqueue).not.toHaveBeenCalled();
  });

  it('shows the same bytes as base64 and as hex', async () => {
    const { user, show, send, sent } = await open();
    await user.type(hex(), '01 02 03');
    await show('Base64 encoded');
    expect(base64().value).toBe('AQID');
    expect(screen.getByText('3 of at most 51 bytes at DR0: 01 02 03')).toBeDefined();
    await send();
    expect(sent()).toMatchObject({ data: 'AQID' });
  });

  it('takes hexadecimal text along to the tab for it', async () => {
    const { user, show } = await open();
    await show('Base64 encoded');
    await user.type(base64(), 'a1b2c3d4');
    await show('Hex');
    expect(hex().value).toBe('a1b2c3d4');
  });

  it('converts between bytes and object by the codec of the device', async () => {
    const { user, show, send, sent } = await open();
    await show('Base64 encoded');
    await user.type(base64(), 'AQID');
    await show('JSON object');
    await waitFor(() => expect(object().value).toBe('{\n  "on": 1\n}'));
    expect(convert.mock.lastCall![0]).toMatchObject({ fPort: 10, data: 'AQID' });
    await show('Hex');
    await waitFor(() => expect(convert.mock.lastCall![0]).toMatchObject({ jsonObject: '{\n  "on": 1\n}' }));
    expect(hex().value).toBe('010203');
    await show('JSON object');
    await send();
    expect(sent()).toMatchObject({ data: null, jsonObject: '{\n  "on": 1\n}' });
  });

  it('says why the codec could not convert, and keeps the bytes', async () => {
    convert.mockRejectedValueOnce(new Error('This device has no payload codec.'));
    const { user, show } = await open();
    await show('Base64 encoded');
    await user.type(base64(), 'AQID');
    await show('JSON object');
    expect(await screen.findByText('Not converted: This device has no payload codec.')).toBeDefined();
    await show('Base64 encoded');
    expect(base64().value).toBe('AQID');
  });

  it('asks a server that does not convert for nothing', async () => {
    isOffered.mockResolvedValueOnce(false);
    const { user, show } = await open();
    await show('Base64 encoded');
    await user.type(base64(), 'AQID');
    await show('JSON object');
    expect(object().value).toBe('');
    expect(convert).not.toHaveBeenCalled();
  });

  it('sends a downlink with its end where one is chosen', async () => {
    const { user, send } = await open();
    await user.type(hex(), '0102');
    await user.click(screen.getByRole('combobox', { name: 'Expires' }));
    await user.click(await screen.findByRole('option', { name: 'In 24 hours' }));
    const before = Date.now();
    await send();
    expect(enqueue).not.toHaveBeenCalled();
    const sent = create.mock.lastCall![0].downlink as { data: string; expiresAt: string };
    expect(sent).toMatchObject({ fPort: 10, data: 'AQI=' });
    expect(Date.parse(sent.expiresAt)).toBeGreaterThanOrEqual(before + 86_400_000);
  });

  it('is filled by a downlink that was sent before', async () => {
    await renderPage(<EnqueueForm devEUI="0a1b2c3d4e5f6071" again={{ fPort: 7, confirmed: true, data: 'AQID' }} />);
    expect(hex().value).toBe('010203');
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Port' }).value).toBe('7');
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Confirmed/ }).checked).toBe(true);
  });
});
