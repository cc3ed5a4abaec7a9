import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operations } from '@hilltop/contract';
import { changesBetween, readChanges, storedChanges } from './changes.ts';

const canary = '5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e';
const { application, fileImport, job } = operations;

it('shows no content of files, and no values of variables, constants and headers', () => {
  const created = [
    [fileImport.upload, { id: 'i', name: 'a.csv', file: btoa(canary) }],
    [fileImport.update, { id: 'i', constants: { 'var.password': canary } }],
    [job.create, { kind: 'CHANGE_DEVICE_VARIABLES', action: { set: { password: canary } } }],
    [
      application.createHTTPIntegration,
      { integration: { applicationID: '1', headers: [{ key: 'X-Anything', value: canary }] } },
    ],
  ] as const;
  for (const [operation, request] of created) {
    const { changes } = changesBetween(operation.request.fields, null, request);
    assert.ok(changes.length > 0, operation.key);
    assert.ok(!JSON.stringify(changes).includes(canary), operation.key);
    assert.ok(!JSON.stringify(changes).includes(btoa(canary)), operation.key);
  }
});

it('shows of addresses scheme, host and path, of several in one text as well', () => {
  const urls = `https://a.example/b?t=${canary}, https://c.example/d?t=${canary}`;
  const http = application.createHTTPIntegration.request.fields['integration']!.message!.fields;
  const { changes } = changesBetween(http, null, { uplinkDataURL: urls });
  assert.equal(changes[0]!.after, 'https://a.example/b, https://c.example/d');
});

it('shows of the webhooks of alert rules only the server', () => {
  const fields = operations.alertRule.create.request.fields['alertRule']!.message!.fields;
  const ruleWith = (path: string) => ({ channels: [{ kind: 'WEBHOOK', url: `https://a.example:8443/${path}` }] });
  const rule = ruleWith(`${canary}?x=1,${canary}`);
  const created = changesBetween(fields, null, rule);
  const deleted = changesBetween(fields, rule, null);
  assert.ok(!JSON.stringify([created, deleted]).includes(canary));
  const shown = [{ kind: 'WEBHOOK', url: 'https://a.example:8443' }];
  assert.deepEqual(JSON.parse(created.changes[0]!.after!), shown);
  assert.deepEqual(JSON.parse(deleted.changes[0]!.before!), shown);
  const updated = changesBetween(fields, ruleWith(canary), ruleWith('other'));
  assert.deepEqual(updated.changes, [{ field: 'channels', secret: 'CHANGED' }]);
});

it('shows the size of a file', () => {
  const { changes } = changesBetween(fileImport.upload.request.fields, null, { file: btoa('12345') });
  assert.deepEqual(
    changes.map(({ field, after }) => [field, after]),
    [['file', '5 bytes']],
  );
});

it('stores only members that differ from their default value, and returns all of them', () => {
  const { fields } = operations.device.update.request.fields['device']!.message!;
  const before = { name: 'old', description: 'none', isDisabled: true };
  const text = storedChanges(changesBetween(fields, before, { name: 'new', description: '', isDisabled: false }));
  assert.equal(
    text,
    '{"changes":[{"field":"name","before":"old","after":"new"},{"field":"description","before":"none"},{"field":"isDisabled","before":"true","after":"false"}]}',
  );
  const rest = { secret: 'NONE', isCut: false };
  assert.deepEqual(readChanges(text), {
    changes: [
      { field: 'name', before: 'old', after: 'new', ...rest },
      { field: 'description', before: 'none', after: '', ...rest },
      { field: 'isDisabled', before: 'true', after: 'false', ...rest },
    ],
    isCut: false,
  });
  const many = Array.from({ length: 64 }, (_, at) => ({ field: `field${at}`, before: 'x'.repeat(500) }));
  const cut = readChanges(storedChanges({ changes: many }));
  assert.ok(cut.isCut && cut.changes.length < many.length);
});
