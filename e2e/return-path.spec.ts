import { expect, test } from './journey.ts';
import { button, choose, follow, followTo, main, submit, textbox, visit } from './steps.ts';
import { randomHex } from './world.ts';

test('a user who leaves a form to create a missing object returns to the same input with the new object selected', async ({
  page,
  admin,
}) => {
  const name = `detour-${randomHex(3)}`;
  const { id: organizationID } = await admin.organization.create({
    organization: { name, displayName: name, canHaveGateways: true },
  });
  const create = `/organizations/${organizationID}/applications/create`;
  const picker = main(page).getByRole('combobox', { name: 'Service-profile', exact: true });

  await test.step('by the dialog about what has to be there first', async () => {
    await visit(page, create);
    await follow(page, page.getByRole('dialog').getByRole('link', { name: 'Create service-profile' }));
    await expect(main(page).getByText('you return to “Create application”')).toBeVisible();
    await textbox(page, 'Service-profile name').fill('first');
    await choose(page, 'Network-server', /EU868/);
    await submit(page, 'Create service-profile', 'service-profile has been created');
    await expect(page).toHaveURL(create);
    // A single option is selected automatically, which is not an unsaved change.
    await expect(picker).toHaveValue('first');
  });

  await test.step('by the link below the picker, with everything that was typed', async () => {
    await textbox(page, 'Application name').fill('weather');
    await textbox(page, 'Application description').fill('How warm it is');
    await followTo(page, 'Create a service-profile');
    await textbox(page, 'Service-profile name').fill('second');
    await choose(page, 'Network-server', /EU868/);
    await submit(page, 'Create service-profile', 'service-profile has been created');
    await expect(textbox(page, 'Application name')).toHaveValue('weather');
    await expect(textbox(page, 'Application description')).toHaveValue('How warm it is');
    await expect(picker).toHaveValue('second');
    await submit(page, 'Create application', 'application has been created');
    await expect(main(page).getByRole('link', { name: 'weather', exact: true })).toBeVisible();
  });

  await test.step('without it, too', async () => {
    await visit(page, create);
    await textbox(page, 'Application name').fill('other');
    await followTo(page, 'Create a service-profile');
    await button(page, 'Back without it').click();
    await expect(textbox(page, 'Application name')).toHaveValue('other');
    await expect(picker).toHaveValue('');
    await textbox(page, 'Application name').fill('');
  });

  await test.step('a device-profile begins with what is usual at its network-server', async () => {
    await visit(page, `/organizations/${organizationID}/device-profiles/create`);
    await choose(page, 'Network-server', /EU868/);
    await expect(textbox(page, 'Max EIRP')).toHaveValue('16');
    await expect(main(page).getByRole('combobox', { name: 'ADR algorithm' })).toHaveValue(/./);
  });
});
