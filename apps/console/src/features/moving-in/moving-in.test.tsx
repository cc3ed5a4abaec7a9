import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { MovingIn } from './moving-in.tsx';

const { dryRun } = vi.hoisted(() => ({ dryRun: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { importV3: { dryRun } } as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const report = {
  sources: [{ what: 'application server', where: 'db:5432/as', version: 'schema 60' }],
  counts: [{ what: 'devices', inV3: 1200, new: 1199, notCarried: 1 }],
  findings: [{ kind: 'NOT_CARRIED', what: 'devices', because: 'its keys are broken', count: 12, examples: ['0a1b'] }],
  settings: ['HILLTOP_HTTP=0.0.0.0:8080'],
};

async function chooseFiles() {
  const user = userEvent.setup();
  const { container } = await renderPage(<MovingIn />, '/network-servers/moving-in');
  const [applicationServer, networkServers] = container.querySelectorAll<HTMLInputElement>('input[type=file]');
  await user.upload(applicationServer!, new File(['[postgresql]'], 'as.toml'));
  await user.upload(networkServers!, [new File(['eu'], 'eu.toml'), new File(['us'], 'us.toml')]);
  await screen.findByText('as.toml, eu.toml, us.toml');
  return user;
}

it('asks for files first, and hands over the command for them', async () => {
  await renderPage(<MovingIn />, '/network-servers/moving-in');
  expect(screen.getByRole('button', { name: 'Look' })).toHaveProperty('disabled', true);
  expect(screen.getByText('npm run import-v3 -- --config as.toml')).toBeTruthy();
});

it('shows the report of the files', async () => {
  dryRun.mockResolvedValue(report);
  const user = await chooseFiles();
  await user.click(screen.getByRole('button', { name: 'Look' }));
  expect(await screen.findByRole('heading', { name: 'Ready to move' })).toBeTruthy();
  expect(dryRun).toHaveBeenCalledWith({
    applicationServer: { name: 'as.toml', text: '[postgresql]', environment: '' },
    networkServers: [
      { name: 'eu.toml', text: 'eu', environment: '' },
      { name: 'us.toml', text: 'us', environment: '' },
    ],
  });
  expect(screen.getByRole('region', { name: 'Not carried' }).textContent).toContain(
    'devices (12): its keys are broken0a1b, …',
  );
  expect(screen.getByText('HILLTOP_HTTP=0.0.0.0:8080')).toBeTruthy();
  expect(
    screen.getByText('npm run import-v3 -- --config as.toml --ns-config eu.toml --ns-config us.toml'),
  ).toBeTruthy();
});

it('says what went wrong, and lets one try again', async () => {
  dryRun.mockRejectedValue(new Error('Nobody answers.'));
  const user = await chooseFiles();
  await user.click(screen.getByRole('button', { name: 'Look' }));
  expect(await screen.findByText('Nobody answers.')).toBeTruthy();
  await waitFor(() => expect(screen.getByRole('button', { name: 'Look' })).toHaveProperty('disabled', false));
});
