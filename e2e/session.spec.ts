import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { codeAt } from '../apps/server/src/testing/authenticator.ts';
import { endingSoon, handOver } from './ending-session.ts';
import { expect, test } from './journey.ts';
import { answerDialog, button, drawer, expectToast, hasLanded, main, signIn, submit, textbox } from './steps.ts';
import { buildPerson, buildWorld } from './world.ts';

test.use({
  signedIn: false,
  // The browser logs the requests that are refused on purpose.
  allowedErrors: /status of (401|403|429)|ERR_INTERNET_DISCONNECTED|WebSocket connection to .* failed/,
});

test('a wrong password keeps the form and the email, and shows the reason', async ({ page, hilltop }) => {
  await page.goto('/login');
  await button(page, 'Login').click();
  await expect(main(page).getByText('Password is required.')).toBeVisible();
  await signIn(page, { email: hilltop.email, password: 'guessed' });
  await expect(main(page).getByRole('alert')).toHaveText('The e-mail address or the password is wrong. (code: 16)');
  await expect(page).toHaveURL(/\/login$/);
  await expect(textbox(page, 'Username / email')).toHaveValue(hilltop.email);
});

test('too many failed sign-ins are throttled with a message', async ({ page }) => {
  const guess = { email: 'guessed-often@example.org', password: 'wrong' };
  // One more attempt is allowed every few seconds, so that of the page is repeated until the server refuses it.
  await page.route('**/api/internal/login', async (route) => {
    let response = await route.fetch();
    while (response.status() === 401) response = await route.fetch();
    await route.fulfill({ response });
  });
  await page.goto('/login');
  await signIn(page, guess);
  await expect(main(page).getByRole('alert')).toHaveText(/Too many .*\(code: 8\)/);
  await expect(page).toHaveURL(/\/login$/);
});

test('sign-in opens the page that was requested', async ({ page, hilltop, admin }) => {
  const { organizationID } = await buildWorld(admin, 'wanted');
  const wanted = `/organizations/${organizationID}/gateways`;
  await page.goto(wanted);
  await expect(page).toHaveURL(/\/login$/);
  await signIn(page, hilltop);
  await expect(page).toHaveURL(wanted);
  await expect(main(page).getByRole('link', { name: 'roof' })).toBeVisible();
});

test.describe('when the pages behind the sign-in cannot be loaded', () => {
  test.use({ allowedErrors: /ERR_FAILED|ScreenFailure/ });

  test('sign-in says so and can be tried again', async ({ page, hilltop }) => {
    const routes = /\/assets\/routes-/;
    await page.route(routes, (route) => route.abort());
    await page.goto('/login');
    await signIn(page, hilltop);
    await expect(main(page).getByRole('alert')).toContainText('This page could not be loaded.');
    await page.unroute(routes);
    await button(page, 'Try again').click();
    await expect(drawer(page)).toBeVisible();
  });
});

test('a URL of the version 3 console opens the same page', async ({ page, hilltop, admin }) => {
  const { organizationID } = await buildWorld(admin, 'old-bookmark');
  await page.goto(`/#/organizations/${organizationID}/applications`);
  await signIn(page, hilltop);
  await expect(page).toHaveURL(`/organizations/${organizationID}/applications`);
});

test('logging out ends the session in other tabs, its live stream, and its token', async ({
  admin,
  enterAs,
  hilltop,
}) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'leaving');
  const person = await buildPerson(admin, { name: 'leaver', organizations: [{ organizationID }] });
  const watching = await enterAs(person.token);
  await watching.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/data`);
  await expect(main(watching).getByText('Live', { exact: true })).toBeVisible();

  const other = await watching.context().newPage();
  await other.goto('/');
  await hasLanded(other);
  await other.getByRole('button', { name: `Account: ${person.email}` }).click();
  await other.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(other).toHaveURL(/\/login$/);
  await expect(watching).toHaveURL(/\/login$/);

  // The console shows the login page without waiting for the server.
  const headers = { Authorization: `Bearer ${person.token}` };
  const status = async () => (await fetch(`${hilltop.url}/api/internal/profile`, { headers })).status;
  await expect.poll(status).toBe(401);
});

test('logging out asks before it discards input, and cancelling keeps the session', async ({ admin, enterAs }) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'hesitant');
  const organizations = [{ organizationID, isDeviceAdmin: true }];
  const { token, email } = await buildPerson(admin, { name: 'hesitant', organizations });
  const page = await enterAs(token);
  const logOut = async () => {
    await page.getByRole('button', { name: `Account: ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Logout' }).click();
  };
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/edit`);
  await textbox(page, 'Device name').fill('kept');
  await logOut();
  await answerDialog(page, 'Stay');
  await button(page, 'Update device').click();
  await expectToast(page, 'device has been updated');

  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/edit`);
  await textbox(page, 'Device name').fill('given up');
  await logOut();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});

test('logging out works while the server is unreachable', async ({ admin, enterAs }) => {
  const { token, email } = await buildPerson(admin, { name: 'offline' });
  const page = await enterAs(token);
  await page.goto('/');
  await hasLanded(page);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: `Account: ${email}` }).click();
  await page.getByRole('menuitem', { name: 'Logout' }).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(() => page.evaluate(() => localStorage.getItem('jwt'))).toBeNull();
});

test('an expired session leads all tabs to the sign-in page without a click, and back after sign-in', async ({
  admin,
  enterAs,
  hilltop,
}) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'ending');
  const person = await buildPerson(admin, { name: 'stayer', organizations: [{ organizationID }] });
  const list = await enterAs(person.token);
  await list.goto(`/organizations/${organizationID}/service-profiles`);
  await expect(main(list).getByRole('link', { name: 'standard' })).toBeVisible();
  const log = await list.context().newPage();
  const logAddress = `/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/data`;
  await log.goto(logAddress);
  await expect(main(log).getByText('Live', { exact: true })).toBeVisible();
  await handOver(list, await endingSoon(hilltop, person, 3000));

  for (const page of [list, log]) {
    await expect(page).toHaveURL(/\/login$/);
    await expect(main(page).getByText('Your session has ended. Sign in to return to your page.')).toBeVisible();
  }
  await signIn(list, person);
  await expect(list).toHaveURL(/\/service-profiles$/);
  await expect(log).toHaveURL(logAddress);
  await expect(main(log).getByText('Live', { exact: true })).toBeVisible();
});

test('the warning before a session ends can extend it without losing input', async ({ admin, enterAs, hilltop }) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'renewed');
  const organizations = [{ organizationID, isDeviceAdmin: true }];
  const person = await buildPerson(admin, { name: 'typist', organizations });
  const page = await enterAs(person.token);
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/edit`);
  await textbox(page, 'Device name').fill('kept');
  const token = await endingSoon(hilltop, person, 60_000);
  await handOver(page, token);
  await page.getByRole('button', { name: 'Stay signed in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stay signed in' });
  await dialog.getByRole('textbox', { name: 'Password' }).fill('guessed');
  await page.keyboard.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('(code: 16)');
  await dialog.getByRole('textbox', { name: 'Password' }).fill(person.password);
  await page.keyboard.press('Enter');
  await expect(page.getByText(/Your session ends at/)).toHaveCount(0);

  const [update] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PUT'),
    submit(page, 'Update device', 'device has been updated'),
  ]);
  expect(JSON.stringify(await update.allHeaders())).not.toContain(token);
  expect((await admin.device.get({ devEUI })).device.name).toBe('kept');
});

test('sign-in says that unsaved input of an ended session is lost', async ({ admin, enterAs, hilltop }) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'lost');
  const organizations = [{ organizationID, isDeviceAdmin: true }];
  const person = await buildPerson(admin, { name: 'loser', organizations });
  const page = await enterAs(person.token);
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/edit`);
  await textbox(page, 'Device name').fill('lost');
  // Waited for from the start, because it disappears with the session.
  const warning = page.getByText(/Your session ends at .* Unsaved input is lost then\./).waitFor();
  await Promise.all([warning, endingSoon(hilltop, person, 10_000).then((token) => handOver(page, token))]);
  await expect(main(page).getByText('unsaved input is lost')).toBeVisible();
  await signIn(page, person);
  await expect(textbox(page, 'Device name')).toHaveValue('thermometer');
});

test('a forged or expired token leads to the sign-in page', async ({ admin, enterAs }) => {
  const person = await buildPerson(admin, { name: 'forger' });
  const [header, , signature] = person.token.split('.');
  const claims = Buffer.from(JSON.stringify({ sub: '1', exp: 4_102_444_800 })).toString('base64url');
  const forger = await enterAs([header, claims, signature].join('.'));
  await forger.goto('/organizations');
  await expect(forger).toHaveURL(/\/login$/);
  expect(await forger.evaluate(() => localStorage.getItem('jwt'))).toBeNull();

  const dismissed = await enterAs(person.token);
  await dismissed.goto('/organizations');
  await expect(drawer(dismissed)).toBeVisible();
  await admin.user.updatePassword({ userId: person.id, password: 'chosen by somebody else' });
  await dismissed.reload();
  await expect(dismissed).toHaveURL(/\/login$/);
});

test('a page without permission shows an error and keeps the session', async ({ admin, enterAs }) => {
  const { organizationID } = await buildWorld(admin, 'mine');
  const others = await buildWorld(admin, 'theirs');
  const { token } = await buildPerson(admin, { name: 'guest', organizations: [{ organizationID }] });
  const page = await enterAs(token);
  await page.goto('/network-servers');
  await expect(main(page).getByRole('heading', { name: 'No permission' })).toBeVisible();
  await page.goto(`/organizations/${others.organizationID}/applications`);
  await expect(
    main(page)
      .getByText(/No permission|\(code: 7\)/)
      .first(),
  ).toBeVisible();
  await expect(page).not.toHaveURL(/\/login$/);
  await page.goto(`/organizations/${organizationID}/applications`);
  await expect(main(page).getByRole('link', { name: 'weather' })).toBeVisible();
});

test('a generated password must be replaced before anything else', async ({ admin, hilltop, page }) => {
  const { organizationID } = await buildWorld(admin, 'generated');
  const { email } = await buildPerson(admin, { name: 'forgetful', organizations: [{ organizationID }] });
  const program = fileURLToPath(new URL('../apps/server/src/main.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--reset-password', email], {
    env: { PATH: process.env['PATH'], HILLTOP_DATA: hilltop.data },
  });
  const generated = stdout.trim();
  await page.goto(`/organizations/${organizationID}/applications`);
  await signIn(page, { email, password: generated });
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Choose your own password');
  await page.goto('/');
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Choose your own password');
  await textbox(page, 'Current password').fill(generated);
  await textbox(page, 'New password').fill('three apples of mine');
  await button(page, 'Update password').click();
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('generated');
});

test.describe('a new password', () => {
  // Errors of the fields are expected.
  test.use({ allowedErrors: /status of (400|401)/ });

  test('a changed password replaces the old one', async ({ admin, enterAs, page }) => {
    const { organizationID } = await buildWorld(admin, 'password');
    const person = await buildPerson(admin, { name: 'changer', organizations: [{ organizationID }] });
    const own = await enterAs(person.token);
    await own.goto('/');
    await hasLanded(own);
    await own.getByRole('button', { name: `Account: ${person.email}` }).click();
    await own.getByRole('menuitem', { name: 'Change password' }).click();
    await textbox(own, 'Current password').fill('not mine');
    await textbox(own, 'New password').fill('short');
    await button(own, 'Update password').click();
    await expect(
      main(own)
        .getByText(/at least/i)
        .first(),
    ).toBeVisible();
    await textbox(own, 'New password').fill('Password');
    await button(own, 'Update password').click();
    await expect(main(own).getByText('This is not your current password.').first()).toBeVisible();
    await textbox(own, 'Current password').fill(person.password);
    await button(own, 'Update password').click();
    await expect(
      main(own)
        .getByText(/among the most common ones/)
        .first(),
    ).toBeVisible();
    await textbox(own, 'New password').fill('a much longer password');
    await button(own, 'Update password').click();
    await expectToast(own, 'user has been updated');

    await page.goto('/login');
    await signIn(page, person);
    await expect(main(page).getByRole('alert')).toContainText('(code: 16)');
    await signIn(page, { ...person, password: 'a much longer password' });
    await expect(drawer(page)).toBeVisible();
  });
});

test('a user sees all own sessions and ends the others', async ({ admin, enterAs, hilltop }) => {
  const person = await buildPerson(admin, { name: 'careful' });
  const response = await fetch(`${hilltop.url}/api/internal/login`, {
    method: 'POST',
    headers: { 'User-Agent': 'curl/8.14.1' },
    body: JSON.stringify({ email: person.email, password: person.password }),
  });
  const { jwt: forgotten } = (await response.json()) as { jwt: string };
  const statusOf = async (token: string) =>
    (await fetch(`${hilltop.url}/api/internal/profile`, { headers: { Authorization: `Bearer ${token}` } })).status;

  const page = await enterAs(person.token);
  await page.goto('/');
  await hasLanded(page);
  await page.getByRole('button', { name: `Account: ${person.email}` }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await expect(page).toHaveURL('/account');
  await expect(main(page).getByText('User', { exact: true })).toBeVisible();
  await main(page).getByRole('link', { name: 'Sessions' }).click();
  await expect(page).toHaveURL('/account/sessions');
  await expect(main(page).getByText('This one')).toHaveCount(1);
  expect(await statusOf(forgotten)).toBe(200);
  await main(page).getByRole('button', { name: 'End the session of curl, 127.0.0.1' }).click();
  await answerDialog(page, 'End session');
  await expectToast(page, 'session has been ended');
  await expect(main(page).getByText('curl')).toHaveCount(0);
  expect(await statusOf(forgotten)).toBe(401);

  const { jwt: another } = await admin.internal.login({ email: person.email, password: person.password });
  await button(page, 'End all others').click();
  await answerDialog(page, 'End all others');
  await expectToast(page, 'all other sessions have been ended');
  await expect.poll(() => statusOf(another)).toBe(401);
  expect(await statusOf(person.token)).toBe(200);
});

test.describe('with a second factor', () => {
  test.use({ allowedErrors: /status of (400|401|403)/ });

  test('a user signs in with six digits, loses the phone, uses a recovery code and ends the other session', async ({
    page,
    admin,
    enterAs,
  }) => {
    const person = await buildPerson(admin, { name: 'two-steps' });
    const setting = await enterAs(person.token);
    await setting.goto('/account/security');
    await button(setting, 'Set up a second factor').click();
    const dialog = setting.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Current password' }).fill(person.password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await expect(setting.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible();
    const secret = (await dialog.locator('.identifier').textContent()) ?? '';
    await dialog.getByRole('textbox', { name: 'Code' }).fill('000000');
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await expect(dialog.getByText(/This code is wrong or too old/).first()).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Code' }).fill(codeAt(secret, new Date(Date.now() - 30_000)));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const codes = await setting.getByRole('dialog', { name: 'Recovery codes' }).locator('pre').textContent();
    const [recoveryCode = ''] = (codes ?? '').split('\n');
    await answerDialog(setting, 'Done');
    await expect(main(setting).getByText('10 recovery codes are left.')).toBeVisible();

    await page.goto('/login');
    await signIn(page, person);
    await expect(textbox(page, 'Code')).toBeFocused();
    await textbox(page, 'Code').fill(codeAt(secret, new Date()));
    await button(page, 'Login').click();
    await expect(drawer(page)).toBeVisible();

    // The phone is lost: another browser, with a recovery code.
    const other = await enterAs(null);
    await other.goto('/login');
    await signIn(other, person);
    await textbox(other, 'Code').fill(recoveryCode);
    await button(other, 'Login').click();
    await expect(drawer(other)).toBeVisible();
    await other.goto('/account/sessions');
    await button(other, 'End all others').click();
    await answerDialog(other, 'End all others');
    await expectToast(other, 'all other sessions have been ended');
    await page.goto('/account/security');
    await expect(page).toHaveURL(/\/login$/);
    await other.goto('/account/security');
    await expect(main(other).getByText('9 recovery codes are left.')).toBeVisible();
  });
});
