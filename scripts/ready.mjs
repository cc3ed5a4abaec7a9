// Prepares a clone: installs packages, and with --build builds the console and the documents. Runs on any Node.js from 20 on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modified = (path) => statSync(root + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const unknown = process.argv.slice(2).filter((arg) => !['--build', '--test'].includes(arg));
if (unknown.length > 0) {
  console.error(
    `Unknown argument ${unknown.join(' ')}: this script installs packages, and with --build builds what is stale.`,
  );
  process.exit(1);
}

async function run(command, args, what) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  const [status] = await once(child, 'exit').catch((error) => {
    console.error(`${command}: ${error.message}`);
    return [1];
  });
  if (status === 0) return;
  console.error(`${what} failed. See the output above.`);
  process.exit(1);
}

/** Time of the newest change below a folder; it reveals a stale build. */
function newest(path) {
  if (!existsSync(root + path)) return 0;
  return readdirSync(root + path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (latest, entry) => Math.max(latest, statSync(`${entry.parentPath ?? entry.path}/${entry.name}`).mtimeMs),
      0,
    );
}

if (modified('node_modules/.package-lock.json') < modified('package-lock.json')) {
  console.log('Installing packages (the first time takes about a minute) ...');
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], 'Installing packages');
}

if (process.argv.includes('--build')) {
  const builds = [];
  const sources = Math.max(
    newest('apps/console/src'),
    newest('apps/console/build'),
    newest('apps/console/public'),
    newest('apps/console/scripts'),
    newest('packages/contract/src'),
    newest('packages/protobuf/src'),
    modified('apps/console/index.html'),
    modified('apps/console/vite.config.ts'),
    modified('package-lock.json'),
  );
  if (modified('apps/console/dist/index.html') < sources) {
    console.log('Building the console ...');
    builds.push(run('npm', ['run', '--silent', 'build', '-w', '@hilltop/console'], 'Building the console'));
  }
  const documents = Math.max(newest('docs'), newest('apps/docs/src'), modified('package-lock.json'));
  if (modified('apps/docs/dist/index.html') < documents) {
    console.log('Building the documents ...');
    builds.push(run('npm', ['run', '--silent', 'build', '-w', '@hilltop/docs'], 'Building the documents'));
  }
  await Promise.all(builds);
}
