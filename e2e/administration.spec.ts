import { axeViolations } from './axe.ts';
import { expect, test } from './journey.ts';
import {
  answerDialog,
  button,
  choose,
  drawer,
  expectToast,
  follow,
  followTo,
  goTo,
  group,
  isLoaded,
  main,
  openTab,
  signIn,
  startCreating,
  submit,
  textbox,
  toggle,
  visit,
} from './steps.ts';
import { buildPerson, buildWorld } from './world.ts';

test.use({ allowedErrors: /status of (400|401|403|404)/ });

const phone = { width: 390, height: 844 };
const row = (page: Parameters<typeof main>[0], name: string) => main(page).getByRole('row').filter({ hasText: name });

test('a user is created, signs in, gets a new password and is deleted', async ({ page, enterAs }) => {
  const [email, password] = ['new.colleague@example.org', 'first password'];
  await page.goto('/users');
  await startCreating(page);
  await submitEmpty();
  await textbox(page, 'E-mail address').fill(email);
  await textbox(page, 'Optional note').fill('Starts on Monday');
  await textbox(page, 'Password').fill(password);
  await expect(toggle(page, 'Is active')).toBeChecked();
  await submit(page, 'Create user', 'user has been created');
  await expect(row(page, email)).toBeVisible();

  const theirs = await enterAs(null);
  await theirs.goto('/login');
  await signIn(theirs, { email, password });
  await expect(main(theirs).getByText('You are not a member of any organization')).toBeVisible();
  await theirs.getByRole('button', { name: `Account: ${email}` }).click();
  await theirs.getByRole('menuitem', { name: 'Change password' }).click();
  await expect(theirs.getByRole('navigation', { name: 'Breadcrumb' })).toHaveText(`Users${email}`);
  await textbox(theirs, 'Current password').fill(password);
  await textbox(theirs, 'New password').fill('second password');
  await submit(theirs, 'Update password', 'user has been updated');
  // The new password ended the old session; a new one was started.
  await expect(theirs).toHaveURL('/');
  await expect(main(theirs).getByText('You are not a member of any organization')).toBeVisible();

  await followTo(page, email);
  await button(page, 'Delete').click();
  await expect(page.getByRole('dialog')).toContainText('Are you sure you want to delete this user?');
  await answerDialog(page, 'Delete');
  await expectToast(page, 'user has been deleted');
  await isLoaded(page);
  await expect(row(page, email)).toHaveCount(0);
  await theirs.reload();
  await expect(theirs).toHaveURL(/\/login$/);

  async function submitEmpty() {
    await button(page, 'Create user').click();
    await expect(main(page).getByText('E-mail address is required.')).toBeVisible();
    await expect(main(page).getByText('Password is required.')).toBeVisible();
  }
});

test('a gateway-profile stores its channels, extra channels and interval', async ({ page }) => {
  await page.goto('/gateway-profiles');
  await button(page, 'Help').click();
  await expect(page.getByRole('dialog')).toContainText('concentrator daemon');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await startCreating(page);
  await textbox(page, 'Name').fill('nine-channels');
  await textbox(page, 'Enabled channels').fill('0, 1, x');
  await choose(page, 'Network-server', /EU868/);
  await button(page, 'Add extra channel').click();
  await button(page, 'Add extra channel').click();
  const [first, second] = [1, 2].map((n) => main(page).getByRole('group', { name: `Extra channel ${n}` }));
  await first!.getByRole('textbox', { name: 'Frequency' }).fill('867100000');
  await first!.getByRole('textbox', { name: 'Spreading-factors' }).fill('7, 8');
  await second!.getByRole('combobox', { name: 'Modulation' }).click();
  await page.getByRole('option', { name: 'FSK' }).click();
  await second!.getByRole('textbox', { name: 'Frequency' }).fill('868800000');
  await button(page, 'Create gateway-profile').click();
  await expect(main(page).getByText(/^List whole numbers separated by commas/)).toBeVisible();
  await expect(second!.getByText('Bitrate is required.')).toBeVisible();
  await second!.getByRole('textbox', { name: 'Bitrate' }).fill('50000');
  await textbox(page, 'Enabled channels').fill('0, 1, 2');
  await submit(page, 'Create gateway-profile', 'gateway-profile has been created');

  await followTo(page, 'nine-channels');
  await expect(textbox(page, 'Stats interval')).toHaveValue('30');
  await expect(textbox(page, 'Enabled channels')).toHaveValue('0, 1, 2');
  await expect(first!.getByRole('textbox', { name: 'Spreading-factors' })).toHaveValue('7, 8');
  await expect(second!.getByRole('textbox', { name: 'Bitrate' })).toHaveValue('50000');
  await expect(main(page).getByRole('combobox', { name: 'Network-server' })).toBeDisabled();
  await button(page, 'Delete extra channel 1').click();
  await submit(page, 'Update gateway-profile', 'gateway-profile has been updated');
  await followTo(page, 'nine-channels');
  await expect(main(page).getByRole('combobox', { name: 'Modulation' })).toHaveValue('FSK');
});

test('the page of a profile says who changed it last, and leads to the values before and after', async ({
  page,
  admin,
}) => {
  const world = await buildWorld(admin, 'audited');
  const { deviceProfile } = await admin.deviceProfile.get({ id: world.deviceProfileID });
  const address = `/organizations/${world.organizationID}/device-profiles/${world.deviceProfileID}`;
  await page.goto(address);
  await textbox(page, 'Device-profile name').fill('renamed');
  await submit(page, 'Update device-profile', 'device-profile has been updated');
  await page.goto(address);
  // The form of the profile has a button of the same name: the list of entries must have replaced it.
  await follow(page, main(page).getByRole('link', { name: /by admin@/ }));
  await expect(main(page).getByRole('heading', { name: 'Audit log', level: 1 })).toBeVisible();
  const entry = main(page)
    .getByRole('button', { name: /Update device-profile/ })
    .first();
  await entry.click();
  await expect(row(page, deviceProfile.name).filter({ hasText: 'renamed' })).toBeVisible();

  await page.setViewportSize(phone);
  const filters = await group(page, 'Filters').locator('input, select').all();
  expect(filters).toHaveLength(5);
  for (const filter of filters) await expect(filter).toBeInViewport({ ratio: 1 });
});

test('the page of a network-server shows its version, or that it is unreachable, and stays editable', async ({
  page,
  admin,
}) => {
  const { result } = await admin.networkServer.list({ limit: 1 });
  const { id, name } = result[0]!;
  const title = main(page).getByRole('heading', { level: 1 });
  await page.goto(`/network-servers/${id}`);
  await expect(title).toHaveText(new RegExp(`^${name.replace(/[()]/g, '\\$&')} \\(EU868@Hilltop [\\d.]+\\)$`));
  await expect(textbox(page, 'Network-server server')).toBeDisabled();
  await page.route(`**/api/network-servers/${id}`, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    const response = await route.fetch();
    return route.fulfill({ response, json: { ...(await response.json()), region: '', version: '' } });
  });
  await page.reload();
  await expect(title).toHaveText(name);
  await expect(main(page).getByText('Not reachable')).toBeVisible();
  await submit(page, 'Update network-server', 'network-server has been updated');
});

test('discovery settings are required only when discovery is enabled, and certificate and key only together', async ({
  page,
}) => {
  await page.goto('/network-servers');
  await startCreating(page, 'Add');
  await textbox(page, 'Network-server name').fill('remote');
  await textbox(page, 'Network-server server').fill('ns.example.org:8000');
  await openTab(page, 'Gateway discovery');
  await expect(textbox(page, 'Interval')).toHaveCount(0);
  await toggle(page, 'Enable gateway discovery').click({ force: true });
  for (const field of ['Interval', 'TX frequency', 'TX data-rate']) await expect(textbox(page, field)).toBeVisible();
  await toggle(page, 'Enable gateway discovery').click({ force: true });

  await openTab(page, 'TLS certificates');
  const link = main(page).getByRole('group', { name: 'From the application-server to the network-server' });
  const [certificate, key] = ['TLS certificate', 'TLS key'].map((name) => link.getByRole('textbox', { name }));
  await key!.fill('-----BEGIN PRIVATE KEY-----');
  await button(page, 'Add network-server').click();
  await expect(certificate!).toHaveAccessibleDescription(/^TLS certificate is required\./);
  await certificate!.fill('not a certificate');
  await key!.fill('');
  await button(page, 'Add network-server').click();
  await expect(certificate!).toHaveAccessibleDescription(/^Enter PEM text/);
  await expect(key!).toHaveAccessibleDescription(/^TLS key is required\./);
});

test('a link leads a global administrator from a member to the user', async ({ page, admin }) => {
  const { organizationID } = await buildWorld(admin, 'from-member-to-user');
  const member = await buildPerson(admin, { name: 'member', organizations: [{ organizationID }] });
  await page.goto(`/organizations/${organizationID}/users/${member.id}`);
  await followTo(page, 'Goto user');
  await expect(page).toHaveURL(`/users/${member.id}`);
  await expect(textbox(page, 'E-mail address')).toHaveValue(member.email);
});

test('an organization administrator adds a member and grants it roles', async ({ admin, enterAs }) => {
  const { organizationID } = await buildWorld(admin, 'members');
  const boss = await buildPerson(admin, { name: 'boss', organizations: [{ organizationID, isAdmin: true }] });
  const newcomer = await buildPerson(admin, { name: 'newcomer' });
  const page = await enterAs(boss.token);
  await page.goto(`/organizations/${organizationID}`);
  await goTo(page, 'Org. users', 'Organization users');
  await startCreating(page);
  await textbox(page, 'E-mail address').fill('nobody@example.org');
  await button(page, 'Add organization user').click();
  await expect(textbox(page, 'E-mail address')).toHaveAccessibleDescription(/\(code: \d+\)/);
  await textbox(page, 'E-mail address').fill(newcomer.email);
  await submit(page, 'Add organization user', 'organization user has been created');

  await followTo(page, newcomer.email);
  await expect(textbox(page, 'E-mail address')).toBeDisabled();
  await expect(main(page).getByRole('link', { name: 'Goto user' })).toHaveCount(0);
  const right = (name: RegExp) => main(page).getByRole('checkbox', { name });
  await expect(right(/device admin/)).toBeVisible();
  await right(/organization admin/).check();
  await expect(right(/device admin/)).toHaveCount(0);
  await submit(page, 'Update organization user', 'organization user has been updated');
  await expect(row(page, newcomer.email).getByText('Yes')).toHaveCount(3);
});

test('the token of an API key is shown once, works, and stops working when the key is deleted', async ({
  admin,
  page,
  hilltop,
}) => {
  const { organizationID } = await buildWorld(admin, 'automation');
  await page.goto(`/organizations/${organizationID}/api-keys`);
  await startCreating(page);
  await textbox(page, 'API key name').fill('exporter');
  await submit(page, 'Create API key', 'api key has been created');
  await expect(textbox(page, 'Token')).toHaveValue(/./);
  const token = await textbox(page, 'Token').inputValue();
  const answer = () =>
    fetch(`${hilltop.url}/api/applications?organizationID=${organizationID}&limit=1`, {
      headers: { Authorization: `Bearer ${token}` },
    }).then(({ status }) => status);
  expect(await answer()).toBe(200);

  await button(page, 'Done').click();
  await answerDialog(page, 'Leave');
  await button(page, 'Delete exporter').click();
  await answerDialog(page, 'Delete');
  await expectToast(page, 'api key has been deleted');
  await expect(main(page).getByText('No API keys yet')).toBeVisible();
  expect(await answer()).toBe(401);
});

test('an API key that reads cannot send, is replaced by one with the same rights, and tells when it has expired', async ({
  admin,
  page,
  hilltop,
}) => {
  const { organizationID, devEUI } = await buildWorld(admin, 'levels');
  await page.goto(`/organizations/${organizationID}/api-keys`);
  await startCreating(page);
  await textbox(page, 'API key name').fill('reader');
  await page.getByRole('radio', { name: 'Read', exact: true }).check();
  await submit(page, 'Create API key', 'api key has been created');
  await expect(textbox(page, 'Token')).toHaveValue(/./);
  const token = await textbox(page, 'Token').inputValue();
  const call = (path: string, bearer: string, body?: object) =>
    fetch(`${hilltop.url}${path}`, {
      headers: { Authorization: `Bearer ${bearer}` },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
  const list = `/api/applications?organizationID=${organizationID}&limit=1`;
  expect((await call(list, token)).status).toBe(200);
  const item = { deviceQueueItem: { devEUI, fPort: 1, data: 'AQ==' } };
  expect((await call(`/api/devices/${devEUI}/queue`, token, item)).status).toBe(403);

  await button(page, 'Done').click();
  await answerDialog(page, 'Leave');
  await expect(row(page, 'reader')).toContainText('Read');
  await expect(row(page, 'reader')).toContainText('from 127.0.0.1');
  await button(page, 'Replace reader').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await expectToast(page, 'api key has been replaced');
  const newToken = await dialog.getByLabel('Token').inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(row(page, 'reader')).toHaveCount(2);
  expect((await call(list, newToken)).status).toBe(200);
  expect((await call(`/api/devices/${devEUI}/queue`, newToken, item)).status).toBe(403);

  const expiresAt = new Date(Date.now() + 1000).toISOString();
  const { jwtToken } = await admin.internal.createAPIKey({ apiKey: { name: 'short', organizationID, expiresAt } });
  await expect.poll(async () => (await call(list, jwtToken)).status).toBe(401);
  const { error } = (await (await call(list, jwtToken)).json()) as { error: string };
  expect(error).toMatch(/^This API key expired on .* Create a new one\.$/);
});

test('the command palette finds objects and pages by keyboard', async ({ admin, page }) => {
  const { organizationID, gatewayID } = await buildWorld(admin, 'palette');
  await page.goto(`/organizations/${organizationID}`);
  await expect(drawer(page)).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  const box = page.getByRole('combobox', { name: 'Search or go to' });
  await box.fill('device-prof');
  await expect(page.getByRole('option', { name: 'Device-profiles' })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/organizations/${organizationID}/device-profiles`);

  await page.keyboard.press('ControlOrMeta+k');
  await box.fill('palet');
  await expect(page.getByRole('option', { name: /^palette\s*organization/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/organizations/${organizationID}`);

  await page.keyboard.press('ControlOrMeta+k');
  await box.fill(gatewayID);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/search?search=${gatewayID}`);
  await expect(row(page, gatewayID)).toContainText('gateway');
});

test('losing permissions or the organization while a page is open shows an error page', async ({ admin, enterAs }) => {
  const { organizationID } = await buildWorld(admin, 'vanishing');
  const person = await buildPerson(admin, { name: 'demoted', organizations: [{ organizationID, isAdmin: true }] });
  const page = await enterAs(person.token);
  await page.goto(`/organizations/${organizationID}/users/create`);
  await textbox(page, 'E-mail address').fill('somebody@example.org');
  await admin.organization.updateUser({
    organizationUser: { organizationID, userID: person.id, isAdmin: false, isDeviceAdmin: false },
  });
  await button(page, 'Add organization user').click();
  await expect(main(page).getByRole('heading', { name: 'No permission' })).toBeVisible();
  await expect(drawer(page).getByRole('link', { name: 'Org. users' })).toHaveCount(0);

  await page.goto(`/organizations/${organizationID}/applications`);
  await expect(main(page).getByRole('link', { name: 'weather' })).toBeVisible();
  await isLoaded(page);
  await admin.organization.delete({ id: organizationID });
  // What the navigation loads in between shows the error without a click.
  await main(page)
    .getByRole('link', { name: 'weather' })
    .click({ timeout: 10_000 })
    .catch(() => undefined);
  await expect(main(page).getByRole('heading', { name: /No permission|Page not found/ })).toBeVisible();
  await expect(drawer(page).getByRole('link', { name: 'Applications' })).toHaveCount(0);
  await main(page).getByRole('link', { name: 'Go to the start page' }).click();
  await expect(main(page).getByText('You are not a member of any organization')).toBeVisible();
});

test('a person is invited by a link, creates an account and sees the organization', async ({
  admin,
  page,
  enterAs,
}) => {
  const { organizationID, applicationID } = await buildWorld(admin, 'orchard');
  const limits = { isReadOnly: true, applicationIDs: [applicationID] };
  const limited = await buildPerson(admin, { name: 'visitor', organizations: [{ organizationID, ...limits }] });
  const invited = 'apple.picker@example.org';
  await visit(page, `/organizations/${organizationID}/users`);
  await button(page, 'Invite').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'E-mail address' }).fill(invited);
  await dialog.getByRole('checkbox', { name: /User is device admin/ }).check();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const open = main(page).getByRole('table', { name: 'Open invitations' });
  await expect(open.getByRole('row').filter({ hasText: invited })).toContainText('device admin');

  // Somebody else is told so, and can sign out.
  const { email: other, token } = await buildPerson(admin, { name: 'passer-by', organizations: [] });
  const others = await enterAs(token);
  await others.goto(link);
  await expect(main(others).getByText(`you are signed in as ${other}`)).toBeVisible();
  await expect(others).toHaveURL(/\/invitation$/);
  await button(others, 'Sign out').click();
  await expect(button(others, 'Create account')).toBeVisible();

  const theirs = await enterAs(null);
  await theirs.goto(link);
  await expect(main(theirs).getByText('invites you to orchard as device admin.')).toBeVisible();
  expect(await axeViolations(theirs)).toEqual([]);
  await textbox(theirs, 'Password').fill('password');
  await button(theirs, 'Create account').click();
  await expect(main(theirs).getByText(/among the most common ones/)).toBeVisible();
  await textbox(theirs, 'Password').fill('ripe red apples');
  await button(theirs, 'Create account').click();
  await expect(theirs).toHaveURL(new RegExp(`/organizations/${organizationID}$`));
  await expect(main(theirs).getByRole('heading', { level: 1 })).toHaveText('orchard');

  await theirs.goto(link);
  await expect(main(theirs).getByText(/This invitation was accepted already/)).toBeVisible();
  await page.reload();
  await expect(row(page, invited)).toBeVisible();
  await expect(open).toHaveCount(0);
  await page.setViewportSize(phone);
  await expect(row(page, limited.email).getByText('read-only, 1 application')).toBeInViewport({ ratio: 1 });
});

test('an existing user signs in to accept an invitation; a revoked one is refused', async ({
  admin,
  page,
  enterAs,
}) => {
  const { organizationID } = await buildWorld(admin, 'cider');
  const { email, password } = await buildPerson(admin, { name: 'cellar', organizations: [] });
  const { link } = await admin.invitation.create({ organizationID, email });
  const theirs = await enterAs(null);
  await theirs.goto(link);
  await main(theirs).getByRole('link', { name: 'I have an account: sign in' }).click();
  await signIn(theirs, { email, password });
  await button(theirs, 'Accept invitation').click();
  await expect(theirs).toHaveURL(new RegExp(`/organizations/${organizationID}$`));

  await admin.invitation.create({ organizationID, email: 'late@example.org' });
  await visit(page, `/organizations/${organizationID}/users`);
  await button(page, 'Create a new link for late@example.org').click();
  const dialog = page.getByRole('dialog');
  const late = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await button(page, 'Revoke the invitation of late@example.org').click();
  await answerDialog(page, 'Revoke');
  await expectToast(page, 'invitation has been revoked');
  const strangers = await enterAs(null);
  await strangers.goto(late);
  await expect(main(strangers).getByText(/This invitation was revoked/)).toBeVisible();
});
