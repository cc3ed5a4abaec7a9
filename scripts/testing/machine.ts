/** Programs that tests need on the machine: browser, databases and brokers. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const executable = (paths: readonly string[]) =>
  paths.flatMap((path) => globSync(path)).find((path) => existsSync(path));

/** How to find each program, by the name of its Debian package. */
const programs = {
  // The build without windows takes a third less processor time than `chromium --headless`.
  'chromium-headless-shell': () => executable([process.env.CHROMIUM ?? '', '/usr/bin/chromium-headless-shell']),
  postgresql: () =>
    executable(['/usr/lib/postgresql/*/bin/initdb', '/usr/local/bin/initdb', '/opt/homebrew/bin/initdb']),
  mosquitto: () => executable(['/usr/sbin/mosquitto']),
  'mosquitto-clients': () => executable(['/usr/bin/mosquitto_sub']),
  influxdb: () => executable(['/usr/bin/influxd']),
  'redis-server': () => executable(['/usr/bin/redis-server']),
  'nginx-light': () => executable(['/usr/sbin/nginx']),
  'libnginx-mod-stream': () => executable(['/usr/lib/nginx/modules/ngx_stream_module.so']),
  'rabbitmq-server': () => executable(['/usr/lib/rabbitmq/bin/rabbitmq-server']),
};

const mayInstall = () =>
  process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');

function install(packages: readonly string[]): void {
  console.log(`Installing ${packages.join(', ')} with apt-get ...`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // One by one: a package that this release of Debian lacks does not keep the others away.
  const installations = packages.map((name) => ['install', '-y', '-qq', '--no-install-recommends', name]);
  for (const args of [['update', '-qq'], ...installations]) {
    const { status, stdout, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    if (status !== 0) console.error(`apt-get ${args[0]} ended with ${status}:\n${stdout}\n${stderr}`);
  }
}

type Program = keyof typeof programs;

/** The path of each program and of the browser for tests; undefined for what is not installed. */
export type Machine = Record<Program | 'browser', string | undefined>;

/** The browser where the build without windows is not available. */
const windowedBrowser = () => executable(['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']);

/** The path of the program; undefined when it is not installed. */
export const findProgram = (name: Program): string | undefined => programs[name]();

/** Finds the path of each program. On Debian as root, it installs missing ones first. */
export function prepareMachine(): Machine {
  const names = Object.keys(programs) as Program[];
  const missing = names.filter((name) => programs[name]() === undefined);
  if (missing.length > 0 && mayInstall()) install(missing);
  const found = Object.fromEntries(names.map((name) => [name, programs[name]()])) as Record<
    Program,
    string | undefined
  >;
  return { ...found, browser: found['chromium-headless-shell'] ?? windowedBrowser() };
}

/** What the databases, browsers and servers of a test run need at most. */
const scratchBytes = 3 * 2 ** 30;

/**
 * The folder for temporary files of tests: in memory where there is room. Tests create hundreds of databases of hundreds
 * of files each, which takes a file system on disk twenty times as much processor time.
 */
export function scratchParent(): string {
  const memory = '/dev/shm';
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  const free = Math.min(bavail * bsize, process.availableMemory() / 2);
  return free >= scratchBytes ? memory : tmpdir();
}
