import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { ActivationForm } from './activation-form.tsx';

const activate = vi.hoisted(() => vi.fn(async (_request: { deviceActivation: Record<string, unknown> }) => ({})));
vi.mock('../../api/client.ts', () => ({
  ApiError: class extends Error {},
  api: { device: { activate, getRandomDevAddr: async () => ({ devAddr: '01abcdef' }) } },
}));
vi.mock('../../api/queries.ts', () => ({ perform: async (call: Promise<unknown>) => call }));

const fill = async (isLoRaWAN11: boolean) => {
  await renderPage(<ActivationForm stored={null} is11={isLoRaWAN11} isEditable />);
  const user = userEvent.setup();
  for (const button of screen.getAllByRole('button', { name: 'Random value' })) await user.click(button);
  await user.click(screen.getByRole('button', { name: '(Re)activate device' }));
  return activate.mock.lastCall?.[0].deviceActivation ?? {};
};

describe('the activation form', () => {
  it('shows one network session key for LoRaWAN 1.0 instead of three', async () => {
    const sent = await fill(false);
    expect(screen.queryByLabelText(/integrity key/)).toBeNull();
    expect(sent.devAddr).toBe('01abcdef');
    expect(sent.nwkSEncKey).toMatch(/^[0-9a-f]{32}$/);
    expect([sent.sNwkSIntKey, sent.fNwkSIntKey]).toEqual([sent.nwkSEncKey, sent.nwkSEncKey]);
    expect(sent.appSKey).not.toBe(sent.nwkSEncKey);
  });

  it('requires all keys of LoRaWAN 1.1', async () => {
    const sent = await fill(true);
    const keys = [sent.nwkSEncKey, sent.sNwkSIntKey, sent.fNwkSIntKey, sent.appSKey];
    expect(new Set(keys).size).toBe(4);
    expect(sent.aFCntDown).toBe(0);
  });

  it('shows the session of an OTAA device read-only, its keys hidden', async () => {
    const key = '2b7e151628aed2a6abf7158809cf4f3c';
    const stored = {
      devEUI: '0a1b2c3d4e5f6071',
      devAddr: '01abcdef',
      appSKey: key,
      nwkSEncKey: key,
      sNwkSIntKey: key,
      fNwkSIntKey: key,
      fCntUp: 42,
      nFCntDown: 7,
      aFCntDown: 0,
    };
    await renderPage(<ActivationForm stored={stored} is11={false} isEditable={false} />);
    expect(screen.queryByRole('button', { name: '(Re)activate device' })).toBeNull();
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Device address' }).value).toBe('01 ab cd ef');
    expect(document.body.innerHTML).not.toContain('2b 7e');
    await userEvent.click(screen.getAllByRole('button', { name: 'Reveal' })[0]!);
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: /Network session key/ }).value).toMatch(/^2b 7e/);
  });
});
