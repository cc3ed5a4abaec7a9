import type { Page, Route } from '@playwright/test';
import { expect, test } from './journey.ts';
import {
  answerDialog,
  button,
  choose,
  drawer,
  expectToast,
  follow,
  group,
  hasPrefetched,
  main,
  openTab,
  returnTo,
  startCreating,
  submit,
  textbox,
  toggle,
} from './steps.ts';
import { activate, buildWorld, randomHex } from './world.ts';

test.use({
  permissions: ['clipboard-read', 'clipboard-write'],
  // The browser logs the requests that are refused or interrupted on purpose.
  allowedErrors:
    /status of (400|404|409|412)|ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|FAILED)|ScreenFailure/,
});

const alert = (page: Page) => main(page).getByRole('alert');
const dialog = (page: Page) => page.getByRole('dialog');

test('missing or malformed values show errors at their fields, before a request is sent', async ({ page }) => {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.goto('/organizations/create');
  await button(page, 'Create organization').click();
  await expect(main(page).getByText('Organization name is required.')).toBeVisible();
  await expect(main(page).getByText('Display name is required.')).toBeVisible();
  await expect(textbox(page, 'Organization name')).toBeFocused();
  await textbox(page, 'Organization name').fill('two words');
  await button(page, 'Create organization').click();
  await expect(main(page).getByText('The name may only contain words, numbers and dashes.')).toBeVisible();
  expect(sent).toEqual([]);
});

test('a missing or short password shows an error at its field, which gets the focus', async ({ page, hilltop }) => {
  await page.goto('/users/1/password');
  await textbox(page, 'Current password').fill(hilltop.password);
  for (const [typed, problem] of [
    ['', /^New password is required\./],
    ['short', /^New password needs at least 8 characters\./],
  ] as const) {
    await textbox(page, 'New password').fill(typed);
    await button(page, 'Update password').click();
    await expect(textbox(page, 'New password')).toBeFocused();
    await expect(textbox(page, 'New password')).toHaveAccessibleDescription(problem);
  }
});

test('an error on a hidden tab opens that tab', async ({ page, admin }) => {
  const { organizationID } = await buildWorld(admin, 'hidden-tab');
  await page.setViewportSize({ width: 1100, height: 800 });
  await page.goto(`/organizations/${organizationID}/device-profiles/create`);
  await openTab(page, 'Join');
  await toggle(page, 'Device supports OTAA').click({ force: true });
  await openTab(page, 'General');
  await textbox(page, 'Device-profile name').fill('personalized');
  await choose(page, 'Network-server', /EU868/);
  await choose(page, 'LoRaWAN MAC version', '1.0.3');
  await choose(page, 'LoRaWAN Regional Parameters revision', 'A');
  await expect(textbox(page, 'Max EIRP')).toHaveValue('16');
  await openTab(page, 'Join');
  await textbox(page, 'Factory-preset frequencies').fill('');
  await openTab(page, 'General');
  await button(page, 'Create device-profile').click();
  await expect(main(page).getByRole('tab', { name: /Join.*has errors/ })).toHaveAttribute('aria-selected', 'true');
  await expect(textbox(page, 'Factory-preset frequencies')).toBeVisible();
});

test('a duplicate name shows an error at its field and keeps the input', async ({ page, admin }) => {
  const { organizationID } = await buildWorld(admin, 'taken');
  await page.goto('/organizations/create');
  await textbox(page, 'Organization name').fill('taken');
  await textbox(page, 'Display name').fill('Typed with care');
  await button(page, 'Create organization').click();
  await expect(textbox(page, 'Organization name')).toBeFocused();
  await expect(textbox(page, 'Organization name')).toHaveAccessibleDescription(
    /^Another organization has this name already.*\(code: 6\)/,
  );
  await expect(main(page).getByText(/\(code: 6\)/)).toHaveCount(1);
  await expect(textbox(page, 'Display name')).toHaveValue('Typed with care');
  await expect(page).toHaveURL(/\/organizations\/create$/);
  expect((await admin.organization.list({ search: 'taken', limit: 10 })).result.map(({ id }) => id)).toEqual([
    organizationID,
  ]);
});

test('an invalid field below the sticky top bar is scrolled into view with its label', async ({ page, admin }) => {
  const { organizationID } = await buildWorld(admin, 'under-the-bar');
  await page.setViewportSize({ width: 1440, height: 500 });
  await page.goto(`/organizations/${organizationID}/service-profiles/create`);
  const label = main(page).locator('label', { hasText: 'Service-profile name' });
  const top = async () => (await label.boundingBox())?.y ?? 0;
  const bar = (await page.getByRole('banner').boundingBox())?.height ?? 0;
  await page.evaluate((distance) => scrollBy(0, distance), await top());
  await main(page).locator('form').dispatchEvent('submit');
  await expect(textbox(page, 'Service-profile name')).toBeFocused();
  await expect.poll(top).toBeGreaterThan(bar);
});

test('a number field explains invalid input and never changes it to another number', async ({ page }) => {
  await page.goto('/organizations/create');
  const box = textbox(page, 'Max. number of devices');
  for (const [typed, problem] of [
    ['', 'Max. number of devices is required.'],
    ['-1', 'Max. number of devices must be at least 0.'],
    ['99999999999', 'Max. number of devices must be at most 4294967295.'],
    ['12.5', 'This must be a whole number.'],
    ['a dozen', 'This must be a number.'],
  ] as const) {
    await box.fill(typed);
    await button(page, 'Create organization').click();
    await expect(box).toHaveAccessibleDescription(new RegExp(`^${problem}`));
    await expect(box).toHaveValue(typed);
  }
});

test('a number that was emptied and then hidden is reset to its initial value', async ({ page, admin }) => {
  await page.goto('/organizations/create');
  await textbox(page, 'Organization name').fill('hidden-hole');
  await textbox(page, 'Display name').fill('Hidden hole');
  await toggle(page, 'Organization can have gateways').click({ force: true });
  await textbox(page, 'Max. number of gateways').fill('');
  await toggle(page, 'Organization can have gateways').click({ force: true });
  await submit(page, 'Create organization', 'organization has been created');
  const { result } = await admin.organization.list({ search: 'Hidden hole', limit: 1 });
  const { organization } = await admin.organization.get({ id: result[0]!.id });
  expect(organization.maxGatewayCount).toBe(0);
});

test('a form is sent once, however often its button is pressed', async ({ page }) => {
  let sent = 0;
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/organizations', async (route) => {
    if (route.request().method() === 'POST') {
      sent += 1;
      await mayAnswer;
    }
    await route.fallback();
  });
  await page.goto('/organizations/create');
  await textbox(page, 'Organization name').fill('pressed');
  await textbox(page, 'Display name').fill('Pressed');
  await textbox(page, 'Display name').press('Enter');
  await page.keyboard.press('Enter');
  await button(page, 'Create organization').dispatchEvent('click');
  await main(page).locator('form').dispatchEvent('submit');
  answer();
  await expectToast(page, 'organization has been created');
  expect(sent).toBe(1);
});

test('changes of another user are merged into unedited fields, and conflicts are shown', async ({ page, admin }) => {
  const organization = { name: 'shared', displayName: 'Before', maxDeviceCount: 1, canHaveGateways: true };
  const { id } = await admin.organization.create({ organization });
  await page.clock.install();
  await page.goto(`/organizations/${id}/edit`);
  await textbox(page, 'Display name').fill('Mine');
  await admin.organization.update({ organization: { ...organization, id, maxDeviceCount: 7 } });
  await returnTo(page);
  await expect(textbox(page, 'Max. number of devices')).toHaveValue('7');
  await expect(textbox(page, 'Display name')).toHaveValue('Mine');
  await expect(main(page).getByText(/Another user has changed this record/)).toHaveCount(0);

  await admin.organization.update({ organization: { ...organization, id, displayName: 'Theirs', maxDeviceCount: 7 } });
  await returnTo(page);
  await expect(main(page).getByText(/Another user has changed this record: Display name/)).toBeVisible();
  await submit(page, 'Update organization', 'organization has been updated');
  expect((await admin.organization.get({ id })).organization).toMatchObject({ displayName: 'Mine', maxDeviceCount: 7 });
});

test('saving a deleted object shows an error and keeps the input', async ({ page, admin }) => {
  const { id } = await admin.user.create({ user: { email: 'leaving@example.org' }, password: 'long enough' });
  await page.clock.install();
  await page.goto(`/users/${id}`);
  await textbox(page, 'Optional note').fill('Typed with care');
  await admin.user.delete({ id });
  await button(page, 'Update user').click();
  await expect(alert(page)).toContainText(/There is no user .*\(code: 5\)/);
  await expect(textbox(page, 'Optional note')).toHaveValue('Typed with care');
  await returnTo(page);
  await expect(main(page).getByRole('heading', { name: 'Page not found' })).toBeVisible();
});

test.describe('with all screens fetched', () => {
  test.use({ prefetches: true });

  test('a form survives a killed server and saves after a restart', async ({ page, hilltop }) => {
    // Interrupted prefetches are not part of this test.
    await Promise.all([hasPrefetched(page), page.goto('/organizations/create')]);
    await textbox(page, 'Organization name').fill('patient');
    await textbox(page, 'Display name').fill('Patient');
    await hilltop.stop('SIGKILL');
    await button(page, 'Create organization').click();
    await expect(alert(page)).toContainText('(code: 14)');
    await expect(textbox(page, 'Organization name')).toHaveValue('patient');
    await hilltop.start();
    await submit(page, 'Create organization', 'organization has been created');
    await main(page).getByRole('searchbox').fill('patient');
    await expect(main(page).getByRole('link', { name: 'patient', exact: true })).toBeVisible();
  });
});

// The list of organizations does not poll: only the button can bring it back, however long the server takes to start.
test('a list that cannot be loaded shows the error and loads after Try again', async ({ page, hilltop, admin }) => {
  await buildWorld(admin, 'unreadable');
  await page.goto('/organizations?search=unreadable');
  await expect(main(page).getByRole('row', { name: /unreadable/ })).toBeVisible();
  await hilltop.stop('SIGKILL');
  await main(page).getByRole('searchbox').fill('unread');
  await expect(alert(page)).toContainText('This could not be loaded');
  await hilltop.start();
  await button(page, 'Try again').click();
  await expect(main(page).getByRole('row', { name: /unreadable/ })).toBeVisible();
});

test('a screen whose code cannot be fetched shows an error and opens after Try again', async ({ page }) => {
  const screen = /organization-list-.*\.js$/;
  await page.route(screen, (route) => route.abort());
  await page.goto('/network-servers');
  await expect(main(page).getByRole('table')).toBeVisible();
  await drawer(page).getByRole('link', { name: 'Organizations' }).click();
  await expect(alert(page)).toContainText('could not be loaded');
  await page.unroute(screen);
  await button(page, 'Try again').click();
  await expect(main(page).getByRole('heading', { name: 'Organizations' })).toBeVisible();
});

test('leaving a form with unsaved changes asks first', async ({ page }) => {
  await page.goto('/organizations/create');
  await textbox(page, 'Organization name').fill('half-done');
  await drawer(page).getByRole('link', { name: 'Network-servers' }).click();
  await expect(dialog(page)).toContainText('not saved');
  await answerDialog(page, 'Stay');
  await expect(textbox(page, 'Organization name')).toHaveValue('half-done');
  await drawer(page).getByRole('link', { name: 'Network-servers' }).click();
  await answerDialog(page, 'Leave');
  await expect(page).toHaveURL(/\/network-servers$/);
});

test('an EUI can be pasted in any format and either byte order, and is stored most significant byte first', async ({
  page,
  admin,
}) => {
  const { organizationID, applicationID } = await buildWorld(admin, 'pasting');
  const devEUI = randomHex(8);
  const pairs = devEUI.match(/../g) ?? [];
  const paste = async (text: string) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await textbox(page, 'Device EUI').press('ControlOrMeta+a');
    await textbox(page, 'Device EUI').press('ControlOrMeta+v');
  };
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/create`);
  await textbox(page, 'Device name').fill('pasted');
  await textbox(page, 'Device description').fill('Pasted from a label');
  await choose(page, 'Device-profile', 'thermometer');

  await textbox(page, 'Device EUI').fill(devEUI.slice(0, 5));
  await button(page, 'Create device').click();
  await expect(group(page, 'Device EUI').getByRole('alert')).toBeVisible();

  for (const spelling of [
    pairs.join(' '),
    pairs.join(':').toUpperCase(),
    pairs.map((pair) => `0x${pair}`).join(', '),
  ]) {
    await paste(spelling);
    await expect(textbox(page, 'Device EUI')).toHaveValue(new RegExp(`^${pairs.join(' ')}$`, 'i'));
  }
  await group(page, 'Device EUI').getByRole('button', { name: 'Byte order MSB' }).click();
  await expect(textbox(page, 'Device EUI')).toHaveValue(pairs.toReversed().join(' '));
  await paste(pairs.toReversed().join(''));
  await submit(page, 'Create device', 'device has been created');
  expect((await admin.device.get({ devEUI })).device.name).toBe('pasted');
});

test('unsaved input blocks leaving even before the dialog is loaded', async ({ page }) => {
  let arrive = () => {};
  const held = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route(/confirm-dialog/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/organizations');
  await startCreating(page);
  await textbox(page, 'Organization name').fill('half-done');
  await page.goBack();
  await expect(textbox(page, 'Organization name')).toHaveValue('half-done');
  arrive();
  await answerDialog(page, 'Stay');
  await expect(page).toHaveURL(/\/organizations\/create$/);
  await expect(textbox(page, 'Organization name')).toHaveValue('half-done');
});

test('back, breadcrumbs and closing the tab all guard unsaved changes', async ({ page }) => {
  await page.goto('/organizations');
  await startCreating(page);
  await textbox(page, 'Organization name').fill('half-done');
  const ways = [
    () => page.goBack(),
    () => page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click(),
  ];
  for (const leave of ways) {
    await leave();
    await expect(dialog(page)).toContainText('not saved');
    await answerDialog(page, 'Stay');
    await expect(page).toHaveURL(/\/organizations\/create$/);
    await expect(textbox(page, 'Organization name')).toHaveValue('half-done');
  }
  const asked = page.waitForEvent('dialog');
  void page.close({ runBeforeUnload: true });
  expect((await asked).type()).toBe('beforeunload');
  await (await asked).dismiss();
  await expect(textbox(page, 'Organization name')).toHaveValue('half-done');
});

test('deleting an object in use is refused, and the dialog shows what uses it', async ({ page, admin }) => {
  const { organizationID, serviceProfileID } = await buildWorld(admin, 'in-use');
  await page.goto(`/organizations/${organizationID}/service-profiles/${serviceProfileID}`);
  await button(page, 'Delete').click();
  await expect(dialog(page)).toContainText('Are you sure you want to delete this service-profile?');
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(dialog(page).getByRole('alert')).toContainText(/in use by applications and gateways\..*\(code: 9\)/);
  await answerDialog(page, 'Cancel');
  await expect(textbox(page, 'Service-profile name')).toHaveValue('standard');
});

test('deleting an application requires its name and deletes its devices', async ({ page, admin }) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'delete');
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}`);
  await button(page, 'Delete').click();
  const confirm = dialog(page).getByRole('button', { name: 'Delete', exact: true });
  await expect(confirm).toBeDisabled();
  await dialog(page).getByRole('textbox', { name: 'Type weather to confirm' }).fill('weathe');
  await expect(confirm).toBeDisabled();
  await dialog(page).getByRole('textbox', { name: 'Type weather to confirm' }).fill('weather');
  await confirm.click();
  await expectToast(page, 'application has been deleted');
  await expect(main(page).getByText('No applications yet')).toBeVisible();
  await expect(admin.device.get({ devEUI })).rejects.toMatchObject({ code: 5 });
});

test('tag names are required and unique', async ({ page, admin }) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'tags');
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/edit`);
  await openTab(page, 'Tags');
  for (const row of ['tag 1', 'tag 2']) {
    await button(page, 'Add tag').click();
    await textbox(page, `Name of ${row}`).fill('place');
    await textbox(page, `Value of ${row}`).fill('roof');
  }
  await button(page, 'Update device').click();
  await expect(textbox(page, 'Name of tag 2')).toHaveAttribute('aria-invalid', 'true');
  await textbox(page, 'Name of tag 2').fill('side');
  await submit(page, 'Update device', 'device has been updated');
  expect((await admin.device.get({ devEUI })).device.tags).toEqual({ place: 'roof', side: 'roof' });
});

test('user input is rendered as text, never as HTML', async ({ page, admin }) => {
  const displayName = '<img src=x onerror="document.title=1"> & "quotes"';
  const { id } = await admin.organization.create({ organization: { name: 'markup', displayName } });
  await page.goto(`/organizations/${id}`);
  await expect(main(page).getByRole('heading', { level: 1 })).toHaveText(displayName);
  await page.goto('/organizations');
  await expect(main(page).getByRole('table')).toContainText(displayName);
});

test('each page that needs a missing object names it and offers to create it', async ({ page, admin }) => {
  const { id } = await admin.organization.create({
    organization: { name: 'bare', displayName: 'Bare', canHaveGateways: true },
  });
  const organization = `/organizations/${id}`;
  for (const list of ['device-profiles', 'gateways', 'applications']) {
    await page.goto(`${organization}/${list}/create`);
    await expect(page.getByRole('dialog', { name: 'Add a service-profile?' })).toBeVisible();
    await answerDialog(page, 'Dismiss');
  }
  await page.reload();
  await follow(page, dialog(page).getByRole('link', { name: 'Create service-profile' }));
  await expect(page).toHaveURL((url) => url.pathname === `${organization}/service-profiles/create`);
  await expect(main(page).getByRole('heading', { name: 'Create service-profile' })).toBeVisible();

  const nothing = (route: Route) => route.fulfill({ json: { totalCount: '0', result: [] } });
  await page.route('**/api/network-servers?*', nothing);
  await page.reload();
  await expect(page.getByRole('dialog', { name: 'Add a network-server?' })).toBeVisible();
  await expect(dialog(page).getByRole('link', { name: 'Add network-server' })).toHaveAttribute(
    'href',
    /^\/network-servers\/create\b/,
  );
  await page.route('**/api/device-profiles?*', nothing);
  const world = await buildWorld(admin, 'without-device-profiles');
  await page.goto(`/organizations/${world.organizationID}/applications/${world.applicationID}/devices/create`);
  await expect(page.getByRole('dialog', { name: 'Add a device-profile?' })).toBeVisible();
  await expect(dialog(page).getByRole('link', { name: 'Create device-profile' })).toBeVisible();
});

test('keys are replaced, a downlink is enqueued and flushed, an identifier is copied', async ({ page, admin }) => {
  const { organizationID, applicationID, devEUI, applicationKey } = await buildWorld(admin, 'at-hand');
  await activate(admin, devEUI);
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/keys`);
  await group(page, 'Application key').getByRole('button', { name: 'Reveal' }).click();
  await group(page, 'Application key').getByRole('button', { name: 'Random value' }).click();
  await submit(page, 'Set device-keys', 'device-keys have been updated');
  expect((await admin.device.getKeys({ devEUI })).deviceKeys.nwkKey).not.toBe(applicationKey);

  await expect(main(page).getByRole('heading', { name: 'Enqueue downlink payload' })).toBeVisible();
  await textbox(page, 'Port').fill('0');
  await button(page, 'Enqueue payload').click();
  await expect(textbox(page, 'Port')).toHaveAccessibleDescription(/must be at least 1/);
  await textbox(page, 'Port').fill('10');
  await textbox(page, 'Hexadecimal payload').fill('010203');
  await submit(page, 'Enqueue payload', 'device-queue item has been created');
  await button(page, 'Flush').click();
  await expect(dialog(page)).toContainText('Are you sure you want to flush the device queue?');
  await answerDialog(page, 'Flush');
  await expectToast(page, 'device-queue has been flushed');
  await expect(main(page).getByText('The queue is empty')).toBeVisible();

  await button(page, 'Copy device EUI').click();
  await expectToast(page, 'Copied to clipboard');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(devEUI);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });

  test('the options of a select far down a form open beside it', async ({ page, admin }) => {
    const { organizationID, applicationID } = await buildWorld(admin, 'far-down');
    await page.goto(`/organizations/${organizationID}/applications/${applicationID}/multicast-groups/create`);
    await choose(page, 'Multicast-group type', 'Class-B');
    await choose(page, 'Class-B ping-slot periodicity', 'every 128 seconds');
    await expect(main(page).getByRole('combobox', { name: 'Multicast-group type' })).toHaveValue('Class-B');
  });
});

test.describe('in a wide window', () => {
  test.use({ viewport: { width: 1440, height: 900 } });

  test('the sections of a form are listed beside it, follow the scrolling, and have help at the right', async ({
    page,
    admin,
  }) => {
    const { organizationID, deviceProfileID } = await buildWorld(admin, 'in-sections');
    await page.goto(`/organizations/${organizationID}/device-profiles/${deviceProfileID}`);
    const list = main(page).getByRole('navigation', { name: 'Sections of the form' });
    const entry = (name: string) => list.getByRole('button', { name, exact: true });
    await expect(entry('General')).toHaveAttribute('aria-current', 'true');
    // The codec bench has tabs of its own.
    await expect(main(page).getByRole('tab', { name: 'General' })).toHaveCount(0);

    const input = (await textbox(page, 'Device-profile name').boundingBox())!;
    const help = (await main(page).getByText('A name to identify the device-profile.').boundingBox())!;
    expect(help.x).toBeGreaterThan(input.x + input.width);
    expect(help.y).toBeGreaterThanOrEqual(input.y);
    expect(help.y + help.height).toBeLessThanOrEqual(input.y + input.height);

    await entry('Class-C').click();
    await expect(main(page).getByRole('heading', { name: 'Class-C' })).toBeInViewport();
    await expect(entry('Class-C')).toHaveAttribute('aria-current', 'true');
    await expect(entry('Tags')).toBeInViewport();
    await expect(button(page, 'Update device-profile')).toBeInViewport();
    await page.mouse.wheel(0, -5000);
    await expect(entry('General')).toHaveAttribute('aria-current', 'true');
  });

  test('Ctrl+S saves and stays, and Update returns to the list', async ({ page, admin }) => {
    const { organizationID, deviceProfileID } = await buildWorld(admin, 'saved-often');
    const address = `/organizations/${organizationID}/device-profiles/${deviceProfileID}`;
    await page.goto(address);
    await textbox(page, 'Device-profile name').fill('renamed once');
    await page.keyboard.press('ControlOrMeta+s');
    await expectToast(page, 'device-profile has been updated');
    await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('renamed once');
    await expect(page).toHaveURL(address);
    await expect(textbox(page, 'Device-profile name')).toBeFocused();
    await textbox(page, 'Device-profile name').fill('renamed twice');
    await button(page, 'Save and stay').click();
    await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('renamed twice');
    await button(page, 'Update device-profile').click();
    await expect(page).toHaveURL(`/organizations/${organizationID}/device-profiles`);
    await expect(main(page).getByRole('link', { name: 'renamed twice' })).toBeVisible();
  });
});
