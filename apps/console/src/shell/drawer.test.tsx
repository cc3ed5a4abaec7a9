import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../testing/render.tsx';
import { Drawer } from './drawer.tsx';

const { person } = vi.hoisted(() => ({ person: { mayAdminister: true, canHaveGateways: true, isLimited: false } }));
vi.mock('../session/session.tsx', () => ({
  useMay: () => (operation: string) =>
    (person.mayAdminister || !/create|listUsers|unknownDevice/.test(operation)) &&
    !(person.isLimited && operation === 'attention.list'),
  useKnowsLimits: () => true,
  useOrganizationOutline: () => ({ id: '7', canHaveGateways: person.canHaveGateways }),
}));
vi.mock('./organization-picker.tsx', () => ({ OrganizationPicker: () => null }));

beforeEach(() => {
  localStorage.clear();
  Object.assign(person, { mayAdminister: true, canHaveGateways: true, isLimited: false });
});

const open = (address = '/organizations/7') => renderPage(<Drawer isOpen onClose={() => {}} />, address);
const groups = () =>
  screen.getAllByRole('list').map((list) => [
    list.getAttribute('aria-label'),
    ...within(list)
      .getAllByRole('link')
      .map((link) => link.textContent),
  ]);
const current = () =>
  screen
    .getAllByRole('link', { hidden: true })
    .filter((link) => link.getAttribute('aria-current') === 'page')
    .map(({ textContent }) => textContent);

it('groups the entries of the organization by frequency of use, with the administration below', async () => {
  await open();
  expect(groups()).toEqual([
    [null, 'Org. dashboard', 'Attention', 'Alerts', 'Devices', 'Gateways', 'Not registered', 'Applications'],
    ['Set-up', 'Service-profiles', 'Device-profiles'],
    ['People', 'Org. users', 'Org. API keys', 'Org. audit log'],
    [
      'Administration',
      'Dashboard',
      'All attention',
      'Network-servers',
      'Gateway-profiles',
      'Organizations',
      'All users',
      'All devices',
      'Device library',
      'API keys',
      'Instances',
      'Storage',
      'Trash',
      'Audit log',
      'Moving in',
    ],
  ]);
});

it('shows only devices and applications to somebody who is limited to some', async () => {
  Object.assign(person, { mayAdminister: false, isLimited: true });
  await open();
  expect(groups()).toEqual([[null, 'Devices', 'Applications']]);
});

it('shows neither people, gateways nor the administration to those who have none', async () => {
  Object.assign(person, { mayAdminister: false, canHaveGateways: false });
  await open();
  expect(groups()).toEqual([
    [null, 'Org. dashboard', 'Attention', 'Alerts', 'Devices', 'Applications'],
    ['Set-up', 'Service-profiles', 'Device-profiles'],
  ]);
});

it('remembers that the administration is closed, and marks there that it contains the current page', async () => {
  const fold = () => screen.getByRole('button', { name: 'Administration' });
  const { unmount } = await open('/users');
  expect(fold().getAttribute('aria-expanded')).toBe('true');
  await userEvent.click(fold());
  expect(screen.queryByRole('link', { name: 'All users' })).toBeNull();
  unmount();
  await open('/users');
  expect(fold().getAttribute('aria-expanded')).toBe('false');
  expect(fold().dataset.current).toBe('true');
  await userEvent.click(fold());
  expect(screen.getByRole('link', { name: 'All users' })).toBeTruthy();
  expect(fold().dataset.current).toBeUndefined();
});

it.each([
  ['/organizations/7', 'Org. dashboard'],
  ['/organizations/7/edit', 'Org. dashboard'],
  ['/organizations/7/applications/3/devices/0102030405060708/data', 'Applications'],
  ['/organizations/7/devices', 'Devices'],
  ['/devices/gateways', 'All devices'],
  ['/organizations', 'Organizations'],
  ['/organizations/7/trash', 'Org. dashboard'],
  ['/organizations/7/jobs/0f3a', 'Org. dashboard'],
  ['/network-servers/4/radio', 'Network-servers'],
  ['/network-servers/moving-in', 'Moving in'],
])('marks one entry as current: %s', async (address, entry) => {
  await open(address);
  expect(current()).toEqual([entry]);
});
