import type { FirstSteps as Made } from '@hilltop/contract';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { FirstSteps } from './first-steps.tsx';

const { makeProfiles } = vi.hoisted(() => ({ makeProfiles: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { firstSteps: { makeProfiles } } as unknown as typeof client.api };
});
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));

const nothing: Made = {
  organizationID: '7',
  canMakeProfiles: true,
  hasProfiles: false,
  canHaveGateways: true,
  hasGateway: false,
  hasApplication: false,
  hasDevice: false,
  hasValue: false,
};

it('moves the focus from the button that created the profiles to the next step', async () => {
  makeProfiles.mockResolvedValue({});
  function Page() {
    const [made, setMade] = useState(nothing);
    return (
      <>
        <FirstSteps made={made} onDismiss={() => {}} />
        <button onClick={() => setMade({ ...nothing, hasProfiles: true })}>Answer</button>
      </>
    );
  }
  await renderPage(<Page />);
  await userEvent.click(screen.getByRole('button', { name: 'Create the standard set' }));
  expect(makeProfiles).toHaveBeenCalledWith({ organizationID: '7' });
  fireEvent.click(screen.getByText('Answer'));
  expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Connect a gateway' }));
});

it('leaves the focus where it is when the profiles existed before', async () => {
  await renderPage(<FirstSteps made={{ ...nothing, hasProfiles: true }} onDismiss={() => {}} />);
  expect(document.activeElement).toBe(document.body);
});
