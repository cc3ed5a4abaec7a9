import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { answering } from './administration-pictures.ts';
import type { Screen } from './screen.ts';
import { button, main, textbox, toggle } from './steps.ts';

const preview = answering('/radio/preview', 200, {
  devices: 1204,
  isPartial: false,
  effects: [
    { command: 'LinkADRReq', devices: 1204, refusing: 37 },
    { command: 'RXParamSetupReq', devices: 1200, refusing: 0 },
  ],
  endingSessions: 12,
});
const effects = (page: Page) => main(page).getByRole('region', { name: 'What saving will cause' });

/** The radio page of embedded network-servers: one with channels of its own, and one with sub-bands. */
export async function radioPictures(client: Client): Promise<Screen[]> {
  const { result } = await client.networkServer.list({ limit: 1 });
  const europe = `/network-servers/${result[0]!.id}/radio`;
  const { id } = await client.radio.create({ name: 'america', region: 'US915', subBand: 2 });
  const america = `/network-servers/${id}/radio`;
  const { id: asia } = await client.radio.create({ name: 'asia', region: 'AS923' });
  return [
    { name: 'radio', address: europe },
    {
      name: 'radio-changed',
      address: europe,
      given: preview,
      before: async (page) => {
        for (let times = 0; times < 5; times++) await button(page, 'Add channel').click();
        await toggle(page, 'Channel 1, 868.3 MHz').click({ force: true });
        await textbox(page, 'RX1 delay').fill('5');
        await toggle(page, 'Ask for rejoin-requests').click({ force: true });
        await effects(page).getByText('LinkADRReq').waitFor();
      },
    },
    {
      name: 'radio-wrong',
      address: europe,
      before: async (page) => {
        await textbox(page, 'RX2 frequency').fill('915000000');
        await effects(page).getByText('This cannot be saved').waitFor();
        await button(page, 'Save radio settings').click();
        await main(page).locator('[aria-invalid="true"]').first().waitFor();
      },
    },
    { name: 'radio-sub-bands', address: america },
    { name: 'radio-dwell', address: `/network-servers/${asia}/radio` },
    {
      name: 'radio-create',
      address: '/network-servers/create',
      before: (page) => main(page).getByText('Inside Hilltop').click(),
    },
  ];
}
