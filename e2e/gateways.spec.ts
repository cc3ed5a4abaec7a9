import type { Client } from '@hilltop/contract/client';
import { createNetwork, startBridge, startGateway } from '@hilltop/simulator';
import { connectMQTT } from '../apps/server/src/testing/mqtt.ts';
import { expect, test } from './journey.ts';
import { answerDialog, button, expectToast, main, openSection, openTab, submit, textbox, toggle } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

test('a gateway connects with the certificate of its page and receives the ping of another gateway', async ({
  page,
  hilltop,
  admin,
}) => {
  const { id: networkServerID } = await admin.radio.create({ name: 'pinging', region: 'EU868' });
  const { organizationID, applicationID, gatewayID: roof } = await buildWorld(admin, 'pinging', networkServerID);
  const [mast, mill] = await Promise.all(
    [5.13, 5.14].map(async (longitude, nth) => {
      const id = randomHex(8);
      const location = { latitude: 52.09, longitude, altitude: 30 };
      const given = { id, name: ['mast', 'mill'][nth]!, description: 'x', location };
      await admin.gateway.create({ gateway: { ...given, organizationID, networkServerID } });
      return { gatewayID: id, position: location };
    }),
  );
  const gateways = `/organizations/${organizationID}/gateways`;
  const server = `127.0.0.1:${hilltop.udpPort}`;
  const position = { latitude: 52.09, longitude: 5.12 };
  await using onRoof = await startGateway({ server, gatewayID: roof, position });
  await using onMast = await startGateway({ server, ...mast! });

  await page.goto(`${gateways}/${mill!.gatewayID}`);
  await expect(main(page).getByText('Never seen', { exact: true })).toBeVisible();
  await openSection(page, 'Certificate');
  await button(page, 'Generate certificate').click();
  await expect(textbox(page, 'TLS key')).toHaveValue(/PRIVATE KEY/);
  const pem = (label: string) => textbox(page, label).inputValue();
  const [ca, cert, key] = [await pem('CA certificate'), await pem('TLS certificate'), await pem('TLS key')];
  await expect(button(page, 'Generate certificate')).toBeDisabled();
  const { addresses } = await admin.mqtt.get({ applicationID });
  const broker = addresses.find(({ transport }) => transport === 'TLS')?.url ?? '';
  await using onMill = startBridge({ server: broker, ...mill!, connection: { ca, cert, key } });
  await onMill.online();
  for (const gateway of [onRoof, onMast, onMill]) await gateway.sendStat();
  await openSection(page, 'Gateway details');
  await openSection(page, 'Certificate');
  await expect(textbox(page, 'TLS key')).toHaveCount(0);
  await expect.poll(() => isSeen(admin, mill!.gatewayID)).toBe(true);
  await page.reload();
  await expect(main(page).getByText('Online', { exact: true })).toBeVisible();

  const network = createNetwork({ gateways: [onRoof, onMast, onMill], random: () => 0.5 });
  await page.goto(`/network-servers/${networkServerID}`);
  await openTab(page, 'Gateway discovery');
  await toggle(page, 'Enable gateway discovery').click({ force: true });
  await textbox(page, 'Interval').fill('24');
  await textbox(page, 'TX frequency').fill('868300000');
  await textbox(page, 'TX data-rate').fill('5');
  await submit(page, 'Update network-server', 'network-server has been updated');

  await page.goto(`${gateways}/${roof}`);
  await expect(button(page, 'Gateway discovery')).toBeDisabled();
  await openSection(page, 'Gateway configuration');
  await toggle(page, 'Gateway discovery enabled').click({ force: true });
  await page.context().grantPermissions(['geolocation']);
  await page.context().setGeolocation({ latitude: 52.0907, longitude: 5.1214 });
  await button(page, 'Set to current location').click();
  await expect(textbox(page, 'Latitude')).toHaveValue('52.0907');
  await submit(page, 'Update gateway', 'gateway has been updated');
  await expect.poll(() => receivedBy(admin, roof)).toHaveLength(2);
  await page.goto(`${gateways}/${roof}/discovery`);
  const map = main(page).getByRole('region', { name: 'Map of the gateways that received the last ping' });
  await expect(map.getByText('≥ -115 dBm')).toBeVisible();
  const names = new Map([mast, mill].map((one, nth) => [one?.gatewayID, ['mast', 'mill'][nth]!]));
  for (const { gatewayID, rssi } of await receivedBy(admin, roof)) {
    await map.getByRole('button', { name: names.get(gatewayID)! }).press('Enter');
    await expect(map.getByText(`RSSI: ${rssi} dBm`)).toBeVisible();
  }
  await map.getByRole('button', { name: 'roof' }).press('Enter');
  await expect(map.getByText('Freq: 868.3 MHz')).toBeVisible();
  await expect(main(page).getByText(/^Last ping: \w+ \d+, \d{4}/)).toBeVisible();
  network.stop();

  await page.goto(`${gateways}/${mill!.gatewayID}/certificate`);
  await main(page)
    .getByRole('button', { name: /^Revoke certificate/ })
    .click();
  await answerDialog(page, 'Revoke');
  await expectToast(page, 'certificate has been revoked');
  await expect(main(page).getByText('Revoked', { exact: true })).toBeVisible();
  await expect(connectMQTT(broker, { ca, cert, key })).rejects.toMatchObject({ code: 5 });
});

const isSeen = async (admin: Client, id: string) => (await admin.gateway.get({ id })).lastSeenAt !== null;

/** The receivers of a gateway's last ping; waits until one was sent. */
const receivedBy = async (admin: Client, gatewayID: string) =>
  admin.gateway.getLastPing({ gatewayID }).then(
    ({ pingRX }) => pingRX,
    () => [],
  );
