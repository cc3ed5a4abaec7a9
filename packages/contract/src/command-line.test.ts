import assert from 'node:assert/strict';
import { it } from 'node:test';
import { commandLine } from './command-line.ts';

it('commands begin with ./hilltop in an archive, and with npm otherwise', () => {
  const of = (isArchive: boolean) => [
    commandLine('start', '', { isArchive }),
    commandLine('backup', 'FILE', { isArchive }),
  ];
  assert.deepEqual(of(true), ['./hilltop', './hilltop backup FILE']);
  assert.deepEqual(of(false), ['npm start', 'npm run backup -- FILE']);
});
