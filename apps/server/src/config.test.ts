import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { helpText, readConfig } from './config.ts';

const dir = mkdtempSync(join(tmpdir(), 'hilltop-config-'));
after(() => rmSync(dir, { recursive: true }));

let files = 0;
function file(text: string): string[] {
  const path = join(dir, `${files++}.json`);
  writeFileSync(path, text);
  return ['--config', path];
}

describe('settings', () => {
  it('have defaults', () => {
    const config = readConfig({ args: [], environment: {} });
    assert.deepEqual(config.http, { host: '0.0.0.0', port: 8080 });
    assert.deepEqual(config.region, [{ name: 'EU868', subBand: 0 }]);
    assert.equal(config.adminEmail, 'admin@hilltop.local');
  });

  it('are read from the file, and overridden by the environment', () => {
    const args = file('{ "http": "127.0.0.1:9000", "eventHistory": 50, "logLevel": "warn" }');
    const config = readConfig({ args, environment: { HILLTOP_LOG_LEVEL: 'debug', HILLTOP_REGION: 'us915:2, EU868' } });
    assert.deepEqual(config.http, { host: '127.0.0.1', port: 9000 });
    assert.equal(config.eventHistory, 50);
    assert.equal(config.logLevel, 'debug');
    assert.deepEqual(config.region, [
      { name: 'US915', subBand: 2 },
      { name: 'EU868', subBand: 0 },
    ]);
  });

  it('are read by their former names', () => {
    const read = (args: string[], environment: Record<string, string>) =>
      readConfig({ args, environment }).listUnregistered;
    assert.equal(read([], { HILLTOP_STRANGERS: 'false' }), false);
    assert.equal(read(file('{ "strangers": false }'), {}), false);
    assert.equal(read([], { HILLTOP_STRANGERS: 'false', HILLTOP_LIST_UNREGISTERED: 'true' }), true);
    assert.equal(read([], { HILLTOP_LIST_UNREGISTERED: 'true', HILLTOP_STRANGERS: 'false' }), true);
    assert.throws(() => read([], { HILLTOP_STRANGERS: 'no' }), /HILLTOP_STRANGERS must be true or false/);
  });

  it('may disable gRPC and allow ranges', () => {
    const environment = { HILLTOP_GRPC: '', HILLTOP_OUTGOING_ALLOW: '10.0.0.0/8, ::1' };
    const config = readConfig({ args: [], environment });
    assert.equal(config.grpc, null);
    assert.deepEqual(config.outgoingAllow, ['10.0.0.0/8', '::1']);
  });

  const oidc = {
    HILLTOP_OIDC_PROVIDER_URL: 'https://login.example.org',
    HILLTOP_OIDC_CLIENT_ID: 'hilltop',
    HILLTOP_OIDC_REDIRECT_URL: 'https://hilltop.example.org/auth/oidc/callback',
  };

  it('may configure a sign-in provider', () => {
    const environment = { ...oidc, HILLTOP_OIDC_REGISTRATION: 'true', HILLTOP_OIDC_USE_USERINFO: 'false' };
    const config = readConfig({ args: [], environment });
    assert.deepEqual([config.oidcRegistration, config.oidcUseUserinfo], [true, false]);
    assert.equal(readConfig({ args: file('{ "oidcUseUserinfo": true }'), environment: oidc }).oidcUseUserinfo, true);
  });

  it('may configure proxies and limit the rate of calls', () => {
    const environment = { HILLTOP_TRUST_PROXY: '10.0.0.1, fd00::/8', HILLTOP_RATE_LIMIT: '200' };
    const { trustProxy, rateLimit } = readConfig({ args: [], environment });
    assert.deepEqual([trustProxy, rateLimit], [['10.0.0.1', 'fd00::/8'], 200]);
  });

  it('may have times and sizes with units', () => {
    const environment = {
      HILLTOP_EVENT_LOG_KEEP: '90d',
      HILLTOP_DELIVERY_MAX_AGE: '90s',
      HILLTOP_EVENT_LOG_MAX: '500MB',
    };
    const { eventLogKeep, deliveryMaxAge, eventLogMax } = readConfig({ args: [], environment });
    assert.deepEqual([eventLogKeep, deliveryMaxAge, eventLogMax], [7_776_000_000, 90_000, 500_000_000]);
    assert.match(helpText(), /HILLTOP_EVENT_LOG_KEEP +24h /);
  });

  it('ignore environment variables of other programs and of tests', () => {
    readConfig({ args: [], environment: { PATH: '/bin', HILLTOP_TEST_POSTGRES_URL: 'postgres://x' } });
  });

  const bad: [environment: Record<string, string>, args: string[], says: RegExp][] = [
    [{ HILLTOP_HTTP: 'nonsense' }, [], /^HILLTOP_HTTP must be an address with a port/],
    [{ HILLTOP_HTTP: '0.0.0.0:70000' }, [], /^HILLTOP_HTTP must be an address/],
    [{ HILLTOP_GRPC: 'nonsense' }, [], /^HILLTOP_GRPC must be an address with a port/],
    [{ HILLTOP_OUTGOING_ALLOW: '10.0.0.0/33' }, [], /^HILLTOP_OUTGOING_ALLOW must be a comma separated list of addr/],
    [{ HILLTOP_REGION: 'MARS' }, [], /^HILLTOP_REGION must be a comma separated list .* EU868/],
    [{ HILLTOP_REGION: '' }, [], /^HILLTOP_REGION/],
    [{ HILLTOP_REGION: 'EU868,EU868' }, [], /^HILLTOP_REGION must be .* different regions/],
    [{ HILLTOP_REGION: 'US915:9' }, [], /^HILLTOP_REGION .* with a sub-band such as US915:2/],
    [{ HILLTOP_REGION: 'EU868:1' }, [], /^HILLTOP_REGION/],
    [{ HILLTOP_ADMIN_PASSWORD: 'short' }, [], /^HILLTOP_ADMIN_PASSWORD must have at least 8 characters/],
    [{ HILLTOP_EVENT_HISTORY: 'many' }, [], /^HILLTOP_EVENT_HISTORY must be a whole number/],
    [{ HILLTOP_EVENT_LOG_KEEP: '91d' }, [], /^HILLTOP_EVENT_LOG_KEEP must be a time from 0s to 90d/],
    [{ HILLTOP_EVENT_LOG_KEEP: '24' }, [], /^HILLTOP_EVENT_LOG_KEEP must be a time/],
    [{ HILLTOP_DELIVERY_MAX_AGE: '59s' }, [], /^HILLTOP_DELIVERY_MAX_AGE must be a time from 1m/],
    [{ HILLTOP_EVENT_LOG_MAX: '9MB' }, [], /^HILLTOP_EVENT_LOG_MAX must be a size from 10MB/],
    [{ HILLTOP_JOIN_SERVER_KEK: 'as=00' }, [], /^HILLTOP_JOIN_SERVER_KEK must be a comma separated list of different/],
    [{ HILLTOP_JOIN_SERVERS: '{' }, [], /^HILLTOP_JOIN_SERVERS must be a JSON list/],
    [
      { HILLTOP_JOIN_SERVERS: '[{"joinEUI":"70b3d57ed0000001/40","url":"http://x"}]' },
      [],
      /^HILLTOP_JOIN_SERVERS must/,
    ],
    [{ HILLTOP_JOIN_SERVERS: '[{"joinEUI":"70b3d57ed0000000/40","url":"x"}]' }, [], /^HILLTOP_JOIN_SERVERS must/],
    [{ HILLTOP_NET_ID: '00' }, [], /^HILLTOP_NET_ID must be six hexadecimal digits/],
    [{ HILLTOP_DATABASE_URL: 'mysql://x' }, [], /^HILLTOP_DATABASE_URL must be a URL such as postgres:/],
    [
      { HILLTOP_MAP_TILES_URL: 'https://tiles.example.org/map.png' },
      [],
      /^HILLTOP_MAP_TILES_URL must be a URL such as/,
    ],
    [{ HILLTOP_TRUST_PROXY: 'proxy' }, [], /^HILLTOP_TRUST_PROXY must be a comma separated list/],
    [{ HILLTOP_CORS_ALLOW_ORIGIN: 'portal.example.org' }, [], /^HILLTOP_CORS_ALLOW_ORIGIN must be an origin such as/],
    [{ HILLTOP_CORS_ALLOW_ORIGIN: 'https://x.org/' }, [], /^HILLTOP_CORS_ALLOW_ORIGIN must be an origin such as/],
    [{ HILLTOP_RATE_LIMIT: '-1' }, [], /^HILLTOP_RATE_LIMIT must be a whole number/],
    [{ ...oidc, HILLTOP_OIDC_PROVIDER_URL: 'login' }, [], /^HILLTOP_OIDC_PROVIDER_URL must be a URL such as/],
    [{ ...oidc, HILLTOP_OIDC_LOGOUT_URL: 'javascript:x' }, [], /^HILLTOP_OIDC_LOGOUT_URL must be a URL/],
    [{ ...oidc, HILLTOP_OIDC_REGISTRATION: 'yes' }, [], /^HILLTOP_OIDC_REGISTRATION must be true or false/],
    [{ HILLTOP_OIDC_CLIENT_ID: 'x' }, [], /^HILLTOP_OIDC_PROVIDER_URL must be set when other settings/],
    [{ ...oidc, HILLTOP_OIDC_CLIENT_ID: '' }, [], /^HILLTOP_OIDC_CLIENT_ID must be set/],
    [
      { HILLTOP_OIDC_PROVIDER_URL: 'https://x', HILLTOP_OIDC_CLIENT_ID: 'x' },
      [],
      /^HILLTOP_OIDC_REDIRECT_URL must be set/,
    ],
    [{ ...oidc, HILLTOP_OIDC_REDIRECT_URL: 'https://x/' }, [], /^HILLTOP_OIDC_REDIRECT_URL must end in \/auth\/oidc/],
    [
      { ...oidc, HILLTOP_OIDC_REGISTRATION_CALLBACK_URL: 'https://x' },
      [],
      /^HILLTOP_OIDC_REGISTRATION must be true when/,
    ],
    [{ HILLTOP_HTPP: 'x' }, [], /^HILLTOP_HTPP is not a setting/],
    [{}, ['--verbose'], /^--verbose is not understood/],
    [{}, ['--config'], /^--config without a file/],
    [{}, ['--config', join(dir, 'none.json')], /none\.json cannot be read \(ENOENT\)/],
    [{}, file('{'), /is not a JSON object/],
    [{}, file('[]'), /is not a JSON object/],
    [{}, file('{"htpp": "x"}'), /^htpp in .*\.json is not a setting/],
    [{}, file('{"http": {}}'), /^http in .*\.json/],
  ];
  for (const [environment, args, says] of bad) {
    it(`refuse ${JSON.stringify(environment)} ${args.length ? says.source : ''}`, () => {
      assert.throws(
        () => readConfig({ args, environment }),
        (error: Error) => says.test(error.message) && !error.message.includes('\n'),
      );
    });
  }

  it('are all in the help', () => {
    for (const name of ['HILLTOP_HTTP', 'HILLTOP_MAP_TILES_URL', 'HILLTOP_DATABASE_URL', 'HILLTOP_NET_ID'])
      assert.match(helpText(), new RegExp(`${name} `));
  });
});
