import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';

const file = new URL('unfinished-end.ts', import.meta.url).href;
const run = (work: string) => {
  const script = `import { reportUnfinishedEnd } from '${file}'; reportUnfinishedEnd(); ${work}`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return { status, stderr };
};

it('a program that waits for nothing that is under way ends with a reason', () => {
  const { status, stderr } = run('await new Promise(() => {});');
  assert.equal(status, 1);
  assert.match(stderr, /^Hilltop ends before its work is done: [^\n]+\n$/);
});

it('a program that has finished ends as it says', () => {
  assert.deepEqual(run('await null; process.exit(3);'), { status: 3, stderr: '' });
});
