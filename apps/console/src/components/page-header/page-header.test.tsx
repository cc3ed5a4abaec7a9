import { waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { PageHeader } from './page-header.tsx';

const tabs = [
  { label: 'Details', to: '/devices/1', exact: true },
  { label: 'Keys (OTAA)', to: '/devices/1/keys' },
];
const header = <PageHeader crumbs={[{ label: 'Thermometers', to: '/' }]} title="north" tabs={tabs} />;
const isCalled = (title: string) => waitFor(() => expect(document.title).toBe(title));

it('sets the title of the browser tab', async () => {
  await renderPage(<PageHeader crumbs={[{ label: 'Devices', to: '/' }]} title="Create device" />);
  await isCalled('Create device · Devices · Hilltop');
});

it('adds the current section to the title, except for the first section', async () => {
  const { router } = await renderPage(header, '/devices/1');
  await isCalled('north · Thermometers · Hilltop');
  await router.navigate({ to: '/devices/1/keys' });
  await isCalled('Keys (OTAA) · north · Thermometers · Hilltop');
});
