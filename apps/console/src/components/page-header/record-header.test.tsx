import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { RecordHeader } from './record-header.tsx';

const header = (
  <RecordHeader
    crumbs={[{ label: 'Gateways', to: '/gateways' }]}
    title="roof"
    identifier={{ name: 'ID', value: 'b827ebfffe4a0001', of: 'gateway ID' }}
    state="Online"
    lastSeenAt={null}
    facts={[
      { name: 'Frames today', value: '1,204' },
      { name: 'RSSI', value: undefined, width: 8 },
    ]}
    primary={<button type="button">Send downlink</button>}
    actions={<button type="button">Delete</button>}
  />
);

it('shows identifier, state, last seen and facts, and a dash for what is not known', async () => {
  await renderPage(header);
  const names = screen.getAllByRole('term').map((one) => one.textContent);
  const values = screen.getAllByRole('definition').map((one) => one.textContent);
  expect(names).toEqual(['ID', 'State', 'Last seen', 'Frames today', 'RSSI']);
  expect(values).toEqual(['b827ebfffe4a0001', 'Online', 'Never', '1,204', '–']);
  expect(within(screen.getAllByRole('definition')[0]!).getByRole('button', { name: 'Copy gateway ID' })).toBeDefined();
});

it('folds the facts of a phone on all tabs but the first, until they are asked for', async () => {
  const tabs = [
    { label: 'Details', to: '/gateways/1', exact: true },
    { label: 'Frames', to: '/gateways/1/frames' },
  ];
  const tabbed = (
    <RecordHeader
      crumbs={[]}
      title="roof"
      identifier={{ name: 'ID', value: '1', of: 'gateway ID' }}
      facts={[{ name: 'RSSI', value: '-90' }]}
      tabs={tabs}
    />
  );
  const { unmount } = await renderPage(tabbed, '/gateways/1');
  expect(screen.queryByRole('button', { name: 'More' })).toBeNull();
  unmount();
  await renderPage(tabbed, '/gateways/1/frames');
  const facts = screen.getAllByRole('term')[0]?.closest('dl');
  expect(facts?.dataset['folded']).toBe('true');
  await userEvent.click(screen.getByRole('button', { name: 'More' }));
  expect(screen.getByRole('button', { name: 'Less' }).getAttribute('aria-expanded')).toBe('true');
  expect(facts?.dataset['folded']).toBeUndefined();
});

it('has the primary action first and deletes last', async () => {
  await renderPage(header);
  const actions = screen.getAllByRole('button').map((one) => one.textContent);
  expect(actions.filter(Boolean)).toEqual(['Send downlink', 'Delete']);
});
