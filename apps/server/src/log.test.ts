import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createExchange, createGatewayPaths, type Log } from '@hilltop/network-server';
import pino from 'pino';
import { createLog } from './log.ts';
import { databases } from './testing/databases.ts';
import { createDevice, createSurroundings } from './testing/field.ts';
import { startTestApp } from './testing/test-app.ts';
import { watch } from './testing/watch.ts';

function logged() {
  const lines: string[] = [];
  const log = createLog({ logLevel: 'trace' }, { write: (line) => lines.push(line) });
  return { log, text: () => lines.join('') };
}

/** Writes 100,000 lines, and then on standard error how many were dropped. */
const writeManyLines = `
  const { createLog, droppedLogLines } = await import(process.argv[1]);
  const log = createLog({ logLevel: 'info' });
  for (let round = 0; round < 20; round += 1) {
    for (let line = 0; line < 5000; line += 1) log.info({ round, line, text: 'x'.repeat(100) }, 'a line');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  process.stderr.write('dropped ' + droppedLogLines(), () => process.kill(process.pid, 'SIGKILL'));
`;

describe('the log', () => {
  it('drops lines, and the process goes on, while standard output is a file on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      const script = [writeManyLines, new URL('log.ts', import.meta.url).href];
      const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e'];
      const child = spawn(process.execPath, [...flags, ...script], { stdio: ['ignore', full, 'pipe'] });
      const said = await text(child.stderr!);
      assert.ok(Number(/^dropped (\d+)$/.exec(said)?.[1]) > 1000, said);
    } finally {
      closeSync(full);
    }
  });

  it('opens no stream at the level silent', (context) => {
    const open = context.mock.method(pino, 'destination');
    createLog({ logLevel: 'silent' }).error('a line');
    assert.equal(open.mock.callCount(), 0);
  });

  it('contains the time of each line', () => {
    const moments = ['2026-11-23T09:59:59.007Z', '2026-11-23T09:59:59.998Z', '2026-11-23T10:00:00.000Z'];
    const { log, text } = logged();
    mock.timers.enable({ apis: ['Date'] });
    try {
      for (const moment of moments) {
        mock.timers.setTime(Date.parse(moment));
        log.info('a line');
      }
    } finally {
      mock.timers.reset();
    }
    const lines = text().trim().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { time: string }).time),
      moments,
    );
  });

  it('shows message and stack of an error that the network server logs', async () => {
    const { log, text } = logged();
    const exchange = createExchange({
      networkServerOf: async () => {
        throw new Error('the gateway table is away');
      },
      gateways: createGatewayPaths(),
      clock: { now: () => new Date(), monotonicMs: () => 0, after: () => () => undefined },
      log,
      count: () => undefined,
    });
    exchange.follow({ gatewayID: '0102030405060708' }, async () => undefined);
    while (text() === '') await nextTurn();
    const { err } = JSON.parse(text()) as { err?: { message: string; stack: string } };
    assert.equal(err?.message, 'the gateway table is away');
    assert.match(err.stack, /log\.test\.ts/);
  });

  it('shows message and stack of an error that the server logs', () => {
    const { log, text } = logged();
    log.error({ err: new Error('the disk is full') }, 'A write failed.');
    const { err } = JSON.parse(text()) as { err: { message: string; stack: string } };
    assert.equal(err.message, 'the disk is full');
    assert.match(err.stack, /log\.test\.ts/);
  });

  it('accepts errors under `err` only: the compiler refuses another name', () => {
    const { log, text } = logged();
    const ofNetworkServer: Log = log;
    const error = new Error('away');
    // @ts-expect-error: the field is called `err`.
    log.error({ error }, 'A write failed.');
    // @ts-expect-error: the field is called `err`.
    ofNetworkServer.error({ error }, 'A write failed.');
    ofNetworkServer.error({ err: error }, 'A write failed.');
    assert.match(text(), /"message":"away"/);
  });

  it('redacts values by the names of secrets, at the top level or below', () => {
    for (const name of [
      'password',
      'oldPassword',
      'jwt',
      'jwtToken',
      'token',
      'authorization',
      'nwkKey',
      'appKey',
      'appSKey',
      'tlsKey',
    ]) {
      const { log, text } = logged();
      log.info({ [name]: 'canary', request: { [name]: 'canary' }, about: 'seen' }, 'a line');
      log.child({ [name]: 'canary' }).info('a line');
      log.error({ err: Object.assign(new Error('away'), { [name]: 'canary' }) }, 'a line');
      log.error(Object.assign(new Error('away'), { [name]: 'canary' }));
      assert.match(text(), /seen/);
      assert.doesNotMatch(text(), /canary/, name);
    }
  });
});

const word = 'canary';
const hex = 'ca0a57ca0a57ca0a57ca0a57ca0a57ca';
/** Every secret of the requests below. */
const secrets = new RegExp(`${word}|${hex}`, 'i');

for (const kind of databases) {
  describe(`the log of failing requests on ${kind}`, () => {
    it('contains none of the secrets in them', async () => {
      const { log, text } = logged();
      await using app = await startTestApp(kind, {}, { log });
      const devEUI = await createDevice(app, await createSurroundings(app));
      const post = (path: string, body: unknown, token = app.adminToken) =>
        app.fetch(path, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}` },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });
      const keys = { devEUI, nwkKey: hex, appKey: hex };
      const session = { devEUI, devAddr: '01020304', appSKey: hex, nwkSEncKey: hex, sNwkSIntKey: hex };
      const user = { email: 'a@example.org' };
      const networkServer = { name: 'n', server: 'localhost:1', tlsKey: `-----BEGIN ${word}` };

      const fail = async () => {
        const answers = [
          await post('/api/internal/login', { email: 'admin@hilltop.local', password: word }),
          await post('/api/internal/login', `{"password": "${word}"`),
          await post('/api/internal/login', { email: [word], password: { word } }),
          await post('/api/users', { user, password: `${word}-${word}`, organizations: [{ organizationID: '999' }] }),
          await post(`/api/devices/${devEUI}/keys`, { deviceKeys: keys }),
          await post(`/api/devices/${devEUI}/keys`, { deviceKeys: { ...keys, nwkKey: `${hex}00` } }),
          await post(`/api/devices/${devEUI}/activate`, { deviceActivation: session }),
          await post('/api/network-servers', { networkServer }),
          await post('/api/organizations', {}, `eyJ.${word}.${word}`),
          await app.fetch(`/api/devices?token=${word}`, { headers: { 'Grpc-Metadata-Authorization': word } }),
          await app.fetch(`/auth/oidc/callback?code=${word}&state=${word}`),
        ];
        return answers.filter(({ status }) => status >= 400).length;
      };
      assert.ok((await fail()) >= 9);
      await using refused = await watch(app.url, `/api/devices/${devEUI}/events`, word);
      assert.equal((await refused.next()).error?.grpcCode, 16);
      // The same while the database fails during the request.
      const { database } = app.parts;
      await database.query.schema.dropTable('session').execute();
      await database.query.schema.alterTable('device_keys').renameTo('device_keys_away').execute();
      assert.ok((await fail()) >= 9);
      assert.match(text(), /call failed/);
      assert.doesNotMatch(text(), secrets);
    });
  });
}
