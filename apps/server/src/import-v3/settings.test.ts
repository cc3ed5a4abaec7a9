import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { readConfig } from '../config.ts';
import { createReport, textOf } from './report/report.ts';
import { importSettings } from './settings.ts';
import { readSettingsFile } from './source/settings-file.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hilltop-settings-'));
});
after(() => rm(directory, { recursive: true }));

async function read(toml: string, environment: string) {
  await writeFile(join(directory, 'as.toml'), toml);
  await writeFile(join(directory, 'as.env'), environment);
  return readSettingsFile(`${join(directory, 'as.toml')},${join(directory, 'as.env')}`);
}

it('prefer the environment of the old server to its file', async () => {
  const file = await read(
    '[postgresql]\ndsn="of the file"\n[redis]\ndatabase=1\nservers=["a:1"]\n[metrics]\ntimezone="UTC"\n',
    '# of a container\nPOSTGRESQL__DSN="of the environment"\nexport REDIS__DATABASE=3\nREDIS__SERVERS=b:2, c:3\nREDIS__TLS_ENABLED=True\nJOIN_SERVER__KEK__SET=[{"Label":"x","KEK":"00"}]\n',
  );
  assert.deepEqual(
    [file.text('postgresql.dsn'), file.number('redis.database', 0), file.list('redis.servers')],
    ['of the environment', 3, ['b:2', 'c:3']],
  );
  assert.deepEqual([file.flag('redis.tls_enabled'), file.text('metrics.timezone')], [true, 'UTC']);
  assert.deepEqual(file.list('join_server.kek.set'), [{ label: 'x', kek: '00' }]);
  await assert.rejects(readSettingsFile(`,${join(directory, 'none.env')}`), /none\.env cannot be read/);
});

it('refuse files that nest deeper than any real one, in every notation', async () => {
  const levels = 100_000;
  const deep = [
    `a=${'['.repeat(levels)}${']'.repeat(levels)}`,
    `a=${'{a='.repeat(levels)}1${'}'.repeat(levels)}`,
    `${'a.'.repeat(levels)}a=1`,
    `[${'a.'.repeat(levels)}a]\nb=1`,
    `[[${'a.'.repeat(levels)}a]]\nb=1`,
  ];
  for (const text of deep)
    await assert.rejects(
      read(text, ''),
      /as\.toml nests tables or lists more than 16 levels deep\./,
      text.slice(0, 10),
    );
});

it('report a wrong value in a sentence that does not quote it', async () => {
  const file = await read('', 'REDIS__DATABASE=secret\nREDIS__TLS_ENABLED=secret\nREDIS__SERVERS=[secret\n');
  assert.throws(() => file.number('redis.database', 0), /redis\.database in .*as\.toml is not a number\.$/);
  assert.throws(() => file.flag('redis.tls_enabled'), /is not true or false\.$/);
  assert.throws(() => file.list('redis.servers'), /is not a list\.$/);
});

it('are printed as lines that a shell and the server read, without secrets', async () => {
  const file = await read(
    '[application_server.external_api]\nbind="0.0.0.0:8085"\n[application_server.branding]\nfooter="it\'s <b>ours</b>"\n[application_server.user_authentication.openid_connect]\nenabled=true\nprovider_url="https://login.example.org"\nclient_id="hilltop"\nredirect_url="https://iot.example.org/auth/oidc/callback"\n',
    'APPLICATION_SERVER__USER_AUTHENTICATION__OPENID_CONNECT__CLIENT_SECRET=s3cret\n',
  );
  const report = createReport();
  importSettings(file, report);
  const text = textOf(report.report());
  assert.ok(!text.includes('s3cret'));
  assert.match(text, /set HILLTOP_OIDC_CLIENT_SECRET by hand/);
  assert.match(text, /^ {2}HILLTOP_HTTP=0\.0\.0\.0:8085$/m);
  assert.match(text, /^ {2}HILLTOP_BRANDING_FOOTER='it'\\''s <b>ours<\/b>'$/m);
  const lines = Array.from(text.matchAll(/^ {2}(HILLTOP_\w+)=(.*)$/gm), ([, name = '', value = '']) => [
    name,
    value.replace(/^'(.*)'$/, '$1').replaceAll(`'\\''`, "'"),
  ]);
  const environment = { ...Object.fromEntries(lines), HILLTOP_OIDC_CLIENT_SECRET: 's3cret' };
  const config = readConfig({ args: [], environment });
  assert.deepEqual([config.http.port, config.oidcClientID], [8085, 'hilltop']);
});
