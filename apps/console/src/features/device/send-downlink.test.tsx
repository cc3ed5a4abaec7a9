import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { SendDownlink } from './send-downlink.tsx';

const { activation } = vi.hoisted(() => ({ activation: { data: {} as object | null } }));
const ids = { organizationID: '1', applicationID: '2', devEUI: '0a1b2c3d4e5f6071' };
vi.mock('./use-device.ts', () => ({ useActivation: () => activation }));
vi.mock('../../components/link/use-ids.ts', () => ({ useIDs: () => ids }));
vi.mock('./enqueue-form.tsx', () => ({ EnqueueForm: () => <p>the form</p> }));

const details = `/organizations/1/applications/2/devices/${ids.devEUI}`;

beforeEach(() => {
  activation.data = { deviceActivation: { devAddr: '01020304' } };
});

async function press(address: string) {
  await renderPage(
    <>
      <SendDownlink devEUI={ids.devEUI} />
      {address === details && (
        <section id="enqueue-form">
          <input aria-label="Port" />
        </section>
      )}
    </>,
    address,
  );
  await userEvent.setup().click(screen.getByRole('button', { name: 'Send downlink' }));
}

describe('Send downlink', () => {
  it('moves the focus to the form on the tab that shows it', async () => {
    await press(details);
    expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Port' }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('opens the form in a side sheet on the other tabs', async () => {
    await press(`${details}/data`);
    expect(await screen.findByRole('dialog', { name: 'Enqueue downlink payload' })).toBeDefined();
    expect(await screen.findByText('the form')).toBeDefined();
  });

  it('does nothing before the device is activated', async () => {
    activation.data = null;
    await press(`${details}/data`);
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(screen.getByRole('button', { name: 'Send downlink' }).getAttribute('aria-disabled')).toBe('true');
  });
});
