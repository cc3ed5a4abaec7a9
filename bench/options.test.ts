import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readOptions } from './options.ts';

const server = ['--udp', '127.0.0.1:1700', '--mqtt', 'mqtt://127.0.0.1:1883'];

it('measures Hilltop when the command line names no server', () => {
  const options = readOptions(['compare', '--rate', '200,2400', '--seconds', '8', '--cores', '1']);
  assert.deepEqual(options.names, ['compare']);
  assert.deepEqual([options.rates, options.seconds, options.cores], [[200, 2400], 8, 1]);
  assert.deepEqual([options.compared, options.broker, options.processes], [undefined, undefined, []]);
});

it('reads the addresses of a server, of its processes and of a broker', () => {
  const api = readOptions([
    '--api',
    'http://ns.example.org/',
    '--token',
    'key',
    ...server,
    '--pid',
    'ns=12',
    '--pid',
    'pg=7',
  ]);
  assert.deepEqual(api.compared, {
    registration: { api: 'http://ns.example.org', token: 'key' },
    udp: { host: '127.0.0.1', port: 1700 },
    mqtt: 'mqtt://127.0.0.1:1883',
  });
  assert.deepEqual(api.processes, [
    { name: 'ns', pid: 12 },
    { name: 'pg', pid: 7 },
  ]);

  const fleet = readOptions(['--fleet', 'a.csv', '--first-fcnt', '412', '--udp', '[::1]:1700', ...server.slice(2)]);
  assert.deepEqual(fleet.compared?.registration, { fleet: 'a.csv', firstFCnt: 412 });
  assert.deepEqual(fleet.compared?.udp, { host: '::1', port: 1700 });

  const broker = readOptions(server.slice(2));
  assert.deepEqual([broker.compared, broker.broker], [undefined, 'mqtt://127.0.0.1:1883']);
});

const refused: readonly [args: readonly string[], message: RegExp][] = [
  [['--database', 'mysql'], /^There is no database mysql\. Choose sqlite or postgres\.$/],
  [['--rate', '200,fast'], /^--rate fast: write a whole number from 1 on\.$/],
  [['--seconds', '0'], /^--seconds 0: write a whole number/],
  [['--minutes', 'x'], /^--minutes x: write a number above 0\.$/],
  [['--pid', '12'], /^--pid 12: write it as NAME=PID/],
  [['--udp', '127.0.0.1:1700', '--mqtt', 'mqtt://h'], /^Name --api URL and --token TOKEN .* or --fleet FILE/],
  [['--api', 'http://h', ...server], /^--api needs --token/],
  [['--api', 'h:8080', '--token', 'key', ...server], /^--api: write a URL such as http:/],
  [['--api', 'http://h', '--token', 'key', '--fleet', 'a.csv', ...server], /not both\.$/],
  [['--api', 'http://h', '--token', 'key', '--first-fcnt', '1', ...server], /^--first-fcnt belongs to --fleet/],
  [['--api', 'http://h', '--token', 'key'], /^Name --udp HOST:PORT/],
  [['--api', 'http://h', '--token', 'key', '--udp', '127.0.0.1:1700'], /^Name --mqtt URL/],
  [['--fleet', 'a.csv', '--udp', '1700', '--mqtt', 'mqtt://h'], /^--udp 1700: write it as HOST:PORT\.$/],
];

for (const [args, message] of refused)
  it(`says what to write instead of ${args.join(' ')}`, () => assert.throws(() => readOptions(args), { message }));

it('repeats no password of a broker', () => {
  assert.throws(
    () => readOptions(['--mqtt', 'http://user:secret@h']),
    ({ message }: Error) => !message.includes('secret'),
  );
});
