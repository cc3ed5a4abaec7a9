import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { SendDownlink } from './send-downlink.tsx';

const { activation } = vi.hoisted(() => ({ activation: { data: {} as object | null } }));
const devEUI = '0a1b2c3d4e5f6071';
vi.mock('./use-device.ts', () => ({ useActivation: () => activation }));
vi.mock('./downlink-sheet.tsx', () => ({ DownlinkSheet: () => <p>the form</p> }));

beforeEach(() => {
  activation.data = { deviceActivation: { devAddr: '01020304' } };
});

async function press() {
  await renderPage(<SendDownlink devEUI={devEUI} />);
  await userEvent.setup().click(screen.getByRole('button', { name: 'Send downlink' }));
}

describe('Send downlink', () => {
  it('opens the form in a side sheet', async () => {
    await press();
    expect(await screen.findByRole('dialog', { name: 'Enqueue downlink payload' })).toBeDefined();
    expect(await screen.findByText('the form')).toBeDefined();
  });

  it('does nothing before the device is activated', async () => {
    activation.data = null;
    await press();
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('button', { name: 'Send downlink' }).getAttribute('aria-disabled')).toBe('true');
  });
});
