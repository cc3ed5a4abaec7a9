import { createDevice, startGateway } from '@hilltop/simulator';
import { startMailServer, type TestMailServer } from '../apps/server/src/testing/mail-server.ts';
import { startHilltop } from './hilltop.ts';
import { test as base, expect } from './journey.ts';
import { button, choose, expectToast, followTo, main, openSection, submit, textbox, visit } from './steps.ts';
import { activate, buildPerson, buildWorld } from './world.ts';

/** A server with a real mail server. */
const test = base.extend<object, { smtp: TestMailServer }>({
  smtp: [
    async ({ hilltop }, use) => {
      const smtp = mailServers.get(hilltop.url)!;
      await use(smtp);
      await smtp[Symbol.asyncDispose]();
    },
    { scope: 'worker' },
  ],
  hilltop: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the needed fixtures from the pattern
    async ({}, use) => {
      const hilltop = await startHilltop(async (url) => {
        const smtp = await startMailServer();
        mailServers.set(url, smtp);
        return {
          HILLTOP_SMTP_URL: smtp.url,
          HILLTOP_SMTP_FROM: 'Hilltop <alerts@example.org>',
          HILLTOP_PUBLIC_URL: url,
        };
      });
      await use(hilltop);
      await hilltop.remove();
    },
    { scope: 'worker' },
  ],
});
const mailServers = new Map<string, TestMailServer>();

test('a suggested rule is created by one click, and its test reaches the mailbox', async ({ admin, smtp, enterAs }) => {
  const { organizationID } = await buildWorld(admin, 'lighthouse');
  const { email, token } = await buildPerson(admin, {
    name: 'keeper',
    organizations: [{ organizationID, isAdmin: true }],
  });
  const page = await enterAs(token);
  await visit(page, `/organizations/${organizationID}/alerts`);
  await openSection(page, 'Rules');
  await button(page, 'Gateway offline for 10 minutes').click();
  await expectToast(page, `alert rule for ${email} has been created`);
  await followTo(page, 'Gateway offline');
  await button(page, 'Send test').click();
  const dialog = page.getByRole('dialog', { name: 'Test message' });
  await expect(dialog.getByText('sent', { exact: true })).toBeVisible();
  expect(smtp.mails.map(({ to, subject }) => [...to, subject])).toEqual([
    [email, '[Hilltop] Test of Gateway offline (lighthouse)'],
  ]);
});

test('a value that is too high is mailed, acknowledged with a note, and resolved', async ({
  page,
  hilltop,
  admin,
  smtp,
}) => {
  const { organizationID, gatewayID, devEUI } = await buildWorld(admin, 'boiler');
  await visit(page, `/organizations/${organizationID}/alerts/rules/create`);
  await textbox(page, 'Name').fill('Weak signal');
  await choose(page, 'Condition', 'Value of a device');
  await textbox(page, 'Field').fill('@gateways');
  await choose(page, 'Is', 'below');
  await textbox(page, 'Threshold').fill('2');
  await textbox(page, 'E-mail addresses').fill('guard@example.net');
  await submit(page, 'Create alert rule', 'alert rule has been created');

  await expect.poll(() => smtp.mails.some(({ to }) => to.includes('guard@example.net'))).toBe(true);
  const { text } = smtp.mails.find(({ to }) => to.includes('guard@example.net'))!;
  const [, token = ''] = /token=(?:3D)?([\w-]{43})/.exec(text.replaceAll('=\r\n', ''))!;
  await visit(page, `/confirm-address#token=${token}`);
  await button(page, 'Confirm my address').click();
  await expect(main(page).getByRole('status')).toHaveText('guard@example.net gets the alerts of boiler from now on.');

  const gateway = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await gateway.online();
  const device = createDevice({
    devEUI,
    session: { ...(await activate(admin, devEUI)), dataRate: 5 },
    region: 'EU868',
  });
  await gateway.receiveFrame(device.uplink({ fPort: 5 })).acknowledged;
  await expect.poll(() => smtp.mails.some(({ subject }) => subject.includes('1 device with a wrong value'))).toBe(true);

  await visit(page, `/organizations/${organizationID}/alerts`);
  await button(page, 'Acknowledge thermometer').click();
  const dialog = page.getByRole('dialog', { name: 'Acknowledge thermometer?' });
  await dialog.getByRole('textbox', { name: 'Note' }).fill('A second gateway is on its way');
  await dialog.getByRole('button', { name: 'Acknowledge' }).click();
  await expectToast(page, 'alert has been acknowledged');
  await expect(main(page).getByText('acknowledged', { exact: true })).toBeVisible();
  await gateway.stop();

  const alarm = smtp.mails.find(({ subject }) => subject.includes('1 device with a wrong value'))!;
  const [link = ''] = /\/unsubscribe#token=3D[\w-]+/.exec(alarm.text.replaceAll('=\r\n', ''))!;
  await visit(page, link.replace('=3D', '='));
  await button(page, 'Unsubscribe from this rule').click();
  const unsubscribed = 'guard@example.net gets no mails of the alert rule Weak signal of boiler.';
  await expect(main(page).getByRole('status')).toHaveText(unsubscribed);
  await visit(page, `/organizations/${organizationID}/alerts/rules`);
  await followTo(page, 'Weak signal');
  await expect(main(page).getByText('Unsubscribed from the mails of this rule: guard@example.net.')).toBeVisible();
});
