import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { Menu } from '../../components/menu/menu.tsx';
import { FirstStepsItem } from '../../shell/first-steps-item.tsx';
import { renderPage } from '../../testing/render.tsx';
import { WhenEmpty } from './when-empty.tsx';

const { rights } = vi.hoisted(() => ({ rights: { may: (_operation: string): boolean => true } }));
vi.mock('../../session/session.tsx', () => ({
  useMay: () => rights.may,
  useSession: () => ({ organizationID: undefined }),
}));
vi.mock('../../api/client.ts', () => ({ api: { firstSteps: { get: { isOffered: async () => true } } } }));
const none = { hasProfiles: false, hasGateway: false, hasApplication: false, hasDevice: false, hasValue: false };
let made = { ...none, canHaveGateways: true };
vi.mock('../../api/queries.ts', () => ({
  query: (...queryKey: unknown[]) => ({
    queryKey,
    queryFn: async () => ({ organizationID: '1', canMakeProfiles: true, ...made }),
  }),
}));

beforeEach(() => {
  localStorage.clear();
  rights.may = () => true;
  made = { ...none, canHaveGateways: true };
});

const open = (activeCount: number | null = 0, isLoadingAbove = false) =>
  renderPage(
    <>
      <Menu label="Account" trigger={(props) => <button {...props}>Account</button>}>
        <FirstStepsItem />
      </Menu>
      <WhenEmpty
        organizationID="0"
        devices={(activeCount === null ? undefined : { activeCount, inactiveCount: 0 }) as never}
        isFailed={false}
        isWaiting={isLoadingAbove}
      >
        <p>the rest</p>
      </WhenEmpty>
    </>,
  );
const steps = () => screen.queryByRole('heading', { name: 'First steps' });

it('stays hidden once dismissed, until the menu shows it again', async () => {
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'First steps' });
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(steps()).toBeNull();
  unmount();

  const { router } = await open();
  await userEvent.click(await screen.findByRole('button', { name: 'Account' }));
  expect(steps()).toBeNull();
  await userEvent.click(screen.getByRole('menuitem', { name: 'First steps' }));
  expect(router.state.location.search).toEqual({ steps: 'shown' });
  expect(await screen.findByRole('heading', { name: 'First steps' })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await vi.waitFor(() => expect(steps()).toBeNull());
  expect(router.state.location.search).toEqual({});
});

it('is hidden on a dashboard with active devices, unless requested', async () => {
  await open(3);
  await userEvent.click(await screen.findByRole('button', { name: 'Account' }));
  expect(steps()).toBeNull();
  await userEvent.click(screen.getByRole('menuitem', { name: 'First steps' }));
  expect(await screen.findByRole('heading', { name: 'First steps' })).toBeTruthy();
});

const isWaiting = () => screen.getByText('the rest').parentElement?.className.includes('waiting') ?? false;

it('hides the content below until its position is final', async () => {
  const { unmount } = await open(null);
  expect(isWaiting()).toBe(true);
  unmount();

  await open();
  expect(steps() === null).toBe(isWaiting());
  await screen.findByRole('heading', { name: 'First steps' });
  expect(isWaiting()).toBe(false);
});

it('hides the content while what needs attention is loading above it', async () => {
  await open(3, true);
  expect(isWaiting()).toBe(true);
});

it('does not delay the dashboard of a user who has dismissed it', async () => {
  localStorage.setItem('firstStepsDismissed', '1');
  await open(null);
  expect(isWaiting()).toBe(false);
});

it('offers only permitted steps, and nothing to read-only users', async () => {
  rights.may = (operation) => operation === 'gateway.create';
  const { unmount } = await open();
  expect(await screen.findByText('A global administrator creates them.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Create the standard set' })).toBeNull();
  unmount();

  rights.may = () => false;
  await open();
  await userEvent.click(await screen.findByRole('button', { name: 'Account' }));
  expect(screen.queryByRole('menuitem', { name: 'First steps' })).toBeNull();
  expect(steps()).toBeNull();
});

it('skips the gateway step in an organization that cannot have gateways', async () => {
  made = { ...none, canHaveGateways: false, hasProfiles: true };
  await open();
  expect(await screen.findByRole('link', { name: 'Add a device' })).toBeTruthy();
  expect(screen.queryByText('Gateway')).toBeNull();
  expect(screen.queryByRole('link', { name: 'Connect a gateway' })).toBeNull();
});

it('offers migration from version 3 on an empty installation, to users with permission', async () => {
  const wayIn = () => screen.queryByRole('link', { name: 'Move in' });
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'First steps' });
  expect(wayIn()?.getAttribute('href')).toBe('/network-servers/moving-in');
  unmount();

  rights.may = (operation) => operation !== 'importV3.dryRun';
  const forOthers = await open();
  await screen.findByRole('heading', { name: 'First steps' });
  expect(wayIn()).toBeNull();
  forOthers.unmount();

  rights.may = () => true;
  made = { ...none, canHaveGateways: true, hasProfiles: true };
  await open();
  await screen.findByRole('link', { name: 'Connect a gateway' });
  expect(wayIn()).toBeNull();
});
