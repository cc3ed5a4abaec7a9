import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { Toasts } from '../toast/toasts.tsx';
import type { BytesFormat } from './bytes-format.ts';
import type { LogDetailChoices } from './log-details.tsx';
import type { LogKind } from './log-kind.ts';
import { LogHead, LogRow } from './log-row.tsx';

const kind: LogKind<string> = {
  noun: 'event',
  typeWidth: '5em',
  chipsLabel: 'Values',
  columns: [{ name: 'fCnt', label: 'FCnt', width: '4em', isNumber: true }],
  orderOf: () => [0, 0],
  identityOf: (item) => item,
  headlineOf: (item) => ({ at: '2026-11-21T10:00:00Z', type: item, tone: 'plain', chips: [] }),
  detailsOf: (item) => [{ title: 'Payload', value: { item, rxInfo: [{ rssi: -61 }] }, folded: ['rxInfo'] }],
  exportOf: (item) => item,
};

const choices: LogDetailChoices<string> = { format: 'hex', onFormat: () => undefined, linkOf: undefined };

it('opens the entry that was pressed, even when another entry has its position on release', async () => {
  const user = userEvent.setup();
  const onToggle = vi.fn();
  const row = (key: string) => (
    <MantineProvider>
      <LogRow
        entry={{ key, item: 'up', order: [0, 0] }}
        kind={kind}
        moreOf={() => []}
        isMarked={false}
        choices={choices}
        isOpen={false}
        onToggle={onToggle}
        onOpen={undefined}
      />
    </MantineProvider>
  );
  const { rerender } = render(row('1'));
  const button = screen.getByRole('button');
  await user.pointer({ target: button, keys: '[MouseLeft>]' });
  rerender(row('2'));
  await user.pointer({ target: button, keys: '[/MouseLeft]' });
  expect(onToggle.mock.calls).toEqual([['1']]);
  button.focus();
  await user.keyboard('{Enter}');
  expect(onToggle.mock.calls).toEqual([['1'], ['2']]);
});

it('opens with the radio part folded, and copies its text', async () => {
  const user = userEvent.setup();
  render(
    <MantineProvider>
      <LogRow
        entry={{ key: '1', item: 'up', order: [0, 0] }}
        kind={kind}
        moreOf={() => []}
        isMarked={false}
        choices={choices}
        isOpen
        onToggle={vi.fn()}
        onOpen={undefined}
      />
      <Toasts />
    </MantineProvider>,
  );
  expect(screen.getByRole('treeitem', { name: /rxInfo/ }).getAttribute('aria-expanded')).toBe('false');
  expect(screen.queryByText('-61')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Copy payload' }));
  expect(JSON.parse(await navigator.clipboard.readText())).toEqual({ item: 'up', rxInfo: [{ rssi: -61 }] });
});

it('shows the state of a delivery as a sign with its words', () => {
  render(
    <MantineProvider>
      <LogRow
        entry={{ key: '1', item: 'up', order: [0, 0] }}
        kind={kind}
        moreOf={() => [{ text: 'HTTP: waiting', sign: 'waiting' }]}
        isMarked={false}
        choices={choices}
        isOpen={false}
        onToggle={vi.fn()}
        onOpen={undefined}
      />
    </MantineProvider>,
  );
  expect(screen.getByRole('button', { name: /HTTP: waiting/ })).toBeTruthy();
  expect(screen.getAllByTitle('HTTP: waiting').some((one) => one.matches('[data-sign="waiting"]'))).toBe(true);
});

it('shows short values in columns, with their label for screen readers', () => {
  const counted = { ...kind, headlineOf: (item: string) => ({ ...kind.headlineOf(item), cells: { fCnt: '42' } }) };
  render(
    <MantineProvider>
      <LogHead kind={counted} />
      <LogRow
        entry={{ key: '1', item: 'up', order: [0, 0] }}
        kind={counted}
        moreOf={() => []}
        isMarked={false}
        choices={choices}
        isOpen={false}
        onToggle={vi.fn()}
        onOpen={undefined}
      />
    </MantineProvider>,
  );
  expect(screen.getByText('Values')).toBeTruthy();
  expect(screen.getByRole('button').textContent).toMatch(/\.000.*up.*FCnt 42$/);
});

it('shows the bytes in one format for the whole log, and copies bytes and link', async () => {
  const user = userEvent.setup();
  const onFormat = vi.fn();
  const row = (format: BytesFormat) => (
    <MantineProvider>
      <LogRow
        entry={{ key: '1', item: 'up', order: [0, 0] }}
        kind={{ ...kind, bytesOf: () => 'AEFC/w==' }}
        moreOf={() => []}
        isMarked={false}
        choices={{ format, onFormat, linkOf: (item) => `https://example.org/?event=${item}` }}
        isOpen
        onToggle={vi.fn()}
        onOpen={undefined}
      />
      <Toasts />
    </MantineProvider>
  );
  const { rerender } = render(row('hex'));
  expect(screen.getByText('004142ff')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'ASCII' }));
  expect(onFormat.mock.calls).toEqual([['ascii']]);
  rerender(row('ascii'));
  await user.click(screen.getByRole('button', { name: 'Copy bytes' }));
  expect(await navigator.clipboard.readText()).toBe('.AB.');
  await user.click(screen.getByRole('button', { name: 'Copy link' }));
  expect(await navigator.clipboard.readText()).toBe('https://example.org/?event=up');
});
