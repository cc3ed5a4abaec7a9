// Checks the source without running it: format, lint, types, boundaries, documents and unused code.
import { spawnSync } from 'node:child_process';

// Several checkers of tsc would each compute the types they share.
const once = ['--checkers', '1'];

/** @type {[name: string, command: string, args: string[]][]} */
const checks = [
  ['format', 'biome', ['check', '.']],
  ['lint', 'oxlint', ['--type-aware', 'packages', 'apps', 'scripts', 'bench', 'e2e']],
  ['types', 'tsc', ['-p', 'tsconfig.json', ...once]],
  ['types of the console', 'tsc', ['-p', 'apps/console/tsconfig.json', ...once]],
  ['boundaries', 'node', ['scripts/boundaries.ts']],
  ['circles', 'node', ['scripts/circles.ts']],
  ['type names', 'node', ['scripts/type-names.ts']],
  ['terms', 'node', ['scripts/terms.ts']],
  ['documents', 'node', ['scripts/documents.ts']],
  ['documented settings', 'node', ['apps/docs/src/settings-page.ts', '--check']],
  ['unused code', 'knip', []],
];

// tsc and the type-aware lint are written in Go, whose garbage collector otherwise takes a quarter of their time. They
// need 1 to 2.5 GB without it.
const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '3GiB' };

let failed = 0;
for (const [name, command, args] of checks) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env });
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name}`);
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
