import type { ImportV3Report } from '@hilltop/contract';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { MovingIn } from './moving-in.tsx';

const { dryRun, list } = vi.hoisted(() => ({ dryRun: vi.fn(), list: vi.fn() }));
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  return { ...client, api: { importV3: { dryRun }, instance: { list } } as unknown as typeof client.api };
});
beforeEach(() => list.mockResolvedValue({ isArchive: false }));
afterEach(() => vi.clearAllMocks());

const count = { what: 'devices', inV3: 1200, new: 1199, changed: 0, same: 0, gone: 0, notCarried: 1 };
const report: ImportV3Report = {
  sources: [{ what: 'application server', where: 'db:5432/as', version: 'schema 60' }],
  counts: [count],
  findings: [{ kind: 'NOT_CARRIED', what: 'devices', because: 'its keys are broken', count: 12, examples: ['0a1b'] }],
  settings: ['HILLTOP_HTTP=0.0.0.0:8080'],
};

const look = () => screen.getByRole('button', { name: 'Start the dry run' });
const command = () => screen.getByText(/--config/).textContent;

async function open(...[applicationServer, networkServers]: [applicationServer?: File, networkServers?: File[]]) {
  const user = userEvent.setup();
  const { container } = await renderPage(<MovingIn />, '/network-servers/moving-in');
  await screen.findByText(/--config/);
  const [first, others] = container.querySelectorAll<HTMLInputElement>('input[type=file]');
  const choose = async (input: HTMLInputElement, ...files: File[]) => {
    await user.upload(input, files);
    for (const { name } of files) await screen.findByText(name);
  };
  if (applicationServer) await choose(first!, applicationServer);
  if (networkServers) await choose(others!, ...networkServers);
  return { user, add: (...files: File[]) => choose(others!, ...files) };
}

const file = (name: string, text: string) => new File([text], name);
const usual = () => open(file('as.toml', '[postgresql]'), [file('eu.toml', 'eu'), file('us.toml', 'us')]);

it('asks for files first, and shows the command for them', async () => {
  await open();
  expect(look()).toHaveProperty('disabled', true);
  expect(command()).toBe('npm run import-v3 -- --config as.toml');
});

it('shows the command of an archive', async () => {
  list.mockResolvedValue({ isArchive: true });
  await open();
  expect(command()).toBe('./hilltop import-v3 --config as.toml');
});

it('shows the report of the files as the command prints it', async () => {
  dryRun.mockResolvedValue(report);
  const { user } = await usual();
  await user.click(look());
  expect(await screen.findByRole('heading', { name: 'Ready to import, with notes' })).toBeTruthy();
  expect(dryRun).toHaveBeenCalledWith({
    applicationServer: { name: 'as.toml', text: '[postgresql]', environment: '' },
    networkServers: [
      { name: 'eu.toml', text: 'eu', environment: '' },
      { name: 'us.toml', text: 'us', environment: '' },
    ],
  });
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'What',
    'In v3',
    'New',
    'Not imported',
  ]);
  expect(screen.getByRole('region', { name: 'Not imported' }).textContent).toContain(
    'devices (12): its keys are broken0a1b, …',
  );
  expect(screen.getByText('HILLTOP_HTTP=0.0.0.0:8080')).toBeTruthy();
  expect(command()).toBe('npm run import-v3 -- --config as.toml --ns-config eu.toml --ns-config us.toml');
});

it('removes a file, and accepts the same one again', async () => {
  const { user, add } = await usual();
  const chosen = () => within(screen.getByRole('list', { name: 'Chosen files' }));
  await user.click(chosen().getByRole('button', { name: 'Remove eu.toml' }));
  expect(command()).toBe('npm run import-v3 -- --config as.toml --ns-config us.toml');
  await add(file('eu.toml', 'eu'));
  expect(command()).toBe('npm run import-v3 -- --config as.toml --ns-config us.toml --ns-config eu.toml');
  await user.click(chosen().getByRole('button', { name: 'Remove as.toml' }));
  expect(look()).toHaveProperty('disabled', true);
});

it('accepts an environment beside a file, and instead of one', async () => {
  dryRun.mockResolvedValue(report);
  const { user } = await open(file('as.toml', 'as'), [file('ns.env', 'POSTGRESQL__DSN=x')]);
  await user.click(screen.getByRole('button', { name: 'Environment of as.toml' }));
  await user.type(screen.getByRole('textbox', { name: 'Environment of as.toml' }), 'REDIS__DATABASE=3');
  expect(command()).toBe('npm run import-v3 -- --config as.toml,as.env --ns-config ,ns.env');
  expect(screen.getByText(/Save the environment variables as as\.env first/)).toBeTruthy();
  await user.click(look());
  await screen.findByRole('heading', { name: /^Ready to import/ });
  expect(dryRun).toHaveBeenCalledWith({
    applicationServer: { name: 'as.toml', text: 'as', environment: 'REDIS__DATABASE=3' },
    networkServers: [{ name: 'ns.env', text: '', environment: 'POSTGRESQL__DSN=x' }],
  });
});

it.each([
  ['too large', file('big.toml', 'x'.repeat(200_001)), /too large to be a configuration file/],
  ['no text', new File([Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0xff)], 'program.toml'), /no text file/],
  ['empty', file('empty.toml', ' \n'), /is empty/],
  ['called like another', file('as.toml', 'of a network server'), /Two files have this name/],
])('asks nothing about a file that is %s, and says so', async (_, wrong, sentence) => {
  await open(file(wrong.name === 'as.toml' ? 'as.toml' : 'good.toml', 'as'));
  const input = document.querySelectorAll<HTMLInputElement>('input[type=file]')[1]!;
  await userEvent.upload(input, wrong);
  expect((await screen.findByText(sentence)).getAttribute('role')).toBe('alert');
  expect(look()).toHaveProperty('disabled', true);
});

it('shows the error, and can be tried again', async () => {
  dryRun.mockRejectedValue(new Error('Nobody answers.'));
  const { user } = await usual();
  await user.click(look());
  expect(await screen.findByText('Nobody answers.')).toBeTruthy();
  await waitFor(() => expect(look()).toHaveProperty('disabled', false));
});

it('locks its files while they are being read', async () => {
  const { promise, resolve } = Promise.withResolvers<ImportV3Report>();
  dryRun.mockReturnValue(promise);
  const { user } = await usual();
  await user.click(look());
  expect(screen.getByText(/^Reading/).getAttribute('role')).toBe('status');
  expect(screen.getByRole('group', { name: 'Settings files' })).toHaveProperty('disabled', true);
  resolve({ ...report, findings: [] });
  expect(await screen.findByRole('heading', { name: 'Ready to import' })).toBeTruthy();
});
