import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderPage } from '../../testing/render.tsx';
import { RecordAttention } from './record-attention.tsx';

const { attention, alert } = vi.hoisted(() => {
  const read = () => Object.assign(vi.fn(), { choices: async () => [], isOffered: async () => true });
  return { attention: read(), alert: read() };
});
vi.mock(import('../../api/client.ts'), async (original) => {
  const client = await original();
  const api = { attention: { list: attention }, alert: { list: alert } };
  return { ...client, api: api as unknown as typeof client.api };
});
afterEach(() => vi.clearAllMocks());

const subjectID = '0102030405060708';
const since = new Date(Date.now() - 90 * 60_000).toISOString();
const battery = { id: 'a', condition: 'LOW_BATTERY', subjectID, value: 12.34, since };
const firing = { id: 'b', ruleID: 'r', ruleName: 'Batteries', state: 'FIRING', since };

it('shows what is wrong with a record, and the alerts that fire because of it', async () => {
  attention.mockResolvedValue({ result: [battery, { ...battery, id: 'c', subjectID: 'another' }] });
  alert.mockResolvedValue({ result: [firing, { ...firing, id: 'd', ruleName: 'Old', state: 'RESOLVED' }] });
  await renderPage(<RecordAttention organizationID="3" subjectID={subjectID} />, '/organizations/3/gateways/1');
  expect((await screen.findByRole('link', { name: 'Alert Batteries' })).getAttribute('href')).toBe(
    '/organizations/3/alerts/rules/r',
  );
  const links = screen.getAllByRole('link').map((link) => link.textContent);
  expect(links).toEqual(['Low battery: 12.3 %', 'Alert Batteries']);
  expect(document.body.textContent).toContain('Low battery: 12.3 %, began 1 h ago');
  expect(document.body.textContent).toContain('Alert Batteries firing, began 1 h ago');
});

it('says that nothing is wrong', async () => {
  attention.mockResolvedValue({ result: [] });
  alert.mockResolvedValue({ result: [] });
  await renderPage(<RecordAttention organizationID="3" subjectID={subjectID} />, '/organizations/3/gateways/1');
  expect(await screen.findByText('nothing')).toBeTruthy();
});
