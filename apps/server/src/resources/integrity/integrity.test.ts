import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { startTestApp } from '../../testing/test-app.ts';

const { integrity } = operations;

it('damage to the database is reported to administrators, with advice', async () => {
  const found = { findings: [] as string[], refusesUplinks: false, noteFailure: () => {}, stop: () => {} };
  await using app = await startTestApp('sqlite', {}, { integrity: found });
  assert.deepEqual(await app.call(integrity.get, {}), { advice: '', findings: [] });
  found.findings = ['user: row 1 missing from index user_email'];
  const { advice, findings } = await app.call(integrity.get, {});
  assert.match(advice, /^The database is damaged: .*npm start -- --check/);
  assert.deepEqual(findings, ['user: row 1 missing from index user_email']);
});

describeAccess('sqlite', 'the integrity check', [row(integrity.get, () => ({}), admins, admins)]);
