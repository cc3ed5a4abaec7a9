import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allTestFiles, nodeTestFiles } from './node-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('runs each test file exactly once, alone or in a shared process', (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'hilltop-groups-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const files = nodeTestFiles(scratch).flatMap((file) => {
    if (!file.startsWith(scratch)) return [file];
    const imports = readFileSync(file, 'utf8').matchAll(/import\("([^"]+)"\)/g);
    return [...imports].map(([, url = '']) => fileURLToPath(url).slice(root.length));
  });
  assert.deepEqual(files.toSorted(), allTestFiles());
});
