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

it('names the browser tab after the page', async () => {
  await renderPage(<PageHeader crumbs={[{ label: 'Devices', to: '/' }]} title="Create device" />);
  await isCalled('Create device · Devices · Hilltop');
});

it('names it after the section one is in, too, unless that is the first', async () => {
  const { router } = await renderPage(header, '/devices/1');
  await isCalled('north · Thermometers · Hilltop');
  await router.navigate({ to: '/devices/1/keys' });
  await isCalled('Keys (OTAA) · north · Thermometers · Hilltop');
});
