import assert from 'node:assert/strict';
import { it } from 'node:test';
import { operations } from '@hilltop/contract';
import { changesBetween } from './changes.ts';

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

it('shows the size of a file', () => {
  const { changes } = changesBetween(fileImport.upload.request.fields, null, { file: btoa('12345') });
  assert.deepEqual(
    changes.map(({ field, after }) => [field, after]),
    [['file', '5 bytes']],
  );
});
