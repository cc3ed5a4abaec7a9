import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { isUnanswered } from './downlink-words.ts';
import { SentDownlinks } from './sent-downlinks.tsx';

const step = { reason: '', fCnt: 3, gatewayID: '', window: '', frequency: 0, dr: 0, bytes: 0, limit: 0, by: '' };
const at = '2026-01-01T00:00:00Z';
const radio = { gatewayID: '0a00000000000001', window: 'RX1', frequency: 868_100_000, dr: 5 };
const downlink = {
  ...{ id: '1', createdAt: at, fPort: 10, confirmed: true, data: 'aGkA', origin: 'API', reference: 'valve' },
  ...{ state: 'UNACKNOWLEDGED', reason: '', fCnt: 3, attempts: 1, expiresAt: null, stepsLeftOut: 2 },
  steps: [
    { ...step, at, step: 'QUEUED', by: 'me' },
    { ...step, ...radio, at, step: 'GATEWAY_REFUSED', reason: 'TOO_LATE' },
    { ...step, ...radio, at, step: 'SENT' },
    { ...step, at, step: 'TOO_LARGE', bytes: 60, limit: 51 },
  ],
};

it('a sent downlink opens into its bytes and steps, and fills the form again', async () => {
  const onAgain = vi.fn();
  await renderPage(<SentDownlinks downlinks={[downlink]} onAgain={onAgain} />);
  const user = userEvent.setup();
  const row = screen.getByRole('button', { name: /not acknowledged.*FPort 10, FCnt 3, valve/ });
  expect(screen.queryByText('queued')).toBeNull();
  await user.click(row);
  expect(row.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByText(/the device did not acknowledge it/)).toBeDefined();
  for (const text of ['686900', 'aGkA', 'hi.']) expect(screen.getByText(text)).toBeDefined();
  const steps = within(screen.getAllByRole('list').at(-1)!).getAllByRole('listitem');
  expect(steps.map(({ textContent }) => textContent.replace(/^.*?(?=queued|refused|sent|dropped|2 more)/, ''))).toEqual(
    [
      'queuedFCnt 3, by me',
      'refused by the gateway: TOO_LATEgateway 0a00000000000001, RX1, 868.1 MHz, DR5, FCnt 3',
      'sentgateway 0a00000000000001, RX1, 868.1 MHz, DR5, FCnt 3',
      'dropped: too large (60 of at most 51 bytes)FCnt 3',
      '2 more steps are not stored.',
    ],
  );
  await user.click(screen.getByRole('button', { name: 'Send again' }));
  expect(onAgain).toHaveBeenCalledWith(downlink);
});

it('a downlink is unanswered when its gateway is silent for longer than the network server waits', () => {
  const sending = (seconds: number) => ({
    state: 'SENDING',
    steps: [{ ...step, at, step: 'SENDING' }],
    nowMs: Date.parse(at) + seconds * 1000,
  });
  const isSilent = (seconds: number) => isUnanswered(sending(seconds), sending(seconds).nowMs);
  expect([isSilent(19), isSilent(21)]).toEqual([false, true]);
  expect(isUnanswered({ ...sending(21), state: 'SENT' }, sending(21).nowMs)).toBe(false);
});
