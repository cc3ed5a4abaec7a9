import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dryRun } from '../import.ts';
import { uploadAccess } from './upload-access.ts';

const secret = 's3cret';
const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const id = 'application_server.id="6d5db27e-4ce2-4b2b-b5d7-91f069397978"\n';
const database = 'postgresql.dsn="host=127.0.0.1 port=1025 user=u"\n';
const redis = 'redis.servers=["127.0.0.1:1025"]\n';

/** The report of files whose servers do not exist; their contents are checked all the same. */
async function reportOf(as: string, environment = '', ns?: string, ofNetwork = '') {
  const files = [
    { name: 'as.toml', text: as, environment },
    ...(ns === undefined ? [] : [{ name: 'ns.toml', text: ns, environment: ofNetwork }]),
  ];
  const choice = { config: 'as.toml', networkServerConfigs: files.slice(1).map(({ name }) => name) };
  return dryRun({ ...choice, downlinkMargin: 1, isFinal: false }, quiet, uploadAccess(files, []));
}

const because = ({ findings }: Awaited<ReturnType<typeof reportOf>>) =>
  findings.filter(({ kind }) => kind === 'stops').map((finding) => finding.because);

describe('uploaded files that are not valid', () => {
  const secrets: readonly (readonly [name: string, file: string, RegExp])[] = [
    [
      'a password with a slash in the URL of a database',
      `${id}${redis}postgresql.dsn="postgres://user:12/${secret}@127.0.0.1/as"\n`,
      /does not name its database/,
    ],
    [
      'a password with a question mark there',
      `${id}${redis}postgresql.dsn="postgres://user:12?${secret}@127.0.0.1/as"\n`,
      /does not name its database/,
    ],
    [
      'a URL among the servers of Redis',
      `${id}${database}redis.servers=["redis://:${secret}@127.0.0.1:6379"]\n`,
      /redis\.servers in as\.toml has an entry that is not host:port/,
    ],
    [
      'a password of Redis that is not written as URLs have it',
      `${id}${database}redis.url="redis://:100%${secret}@127.0.0.1:6379"\n`,
      /redis\.url in as\.toml is not a URL/,
    ],
    [
      'one with a slash',
      `${id}${database}redis.url="redis://u:12/${secret}@127.0.0.1:6379"\n`,
      /redis\.url in as\.toml is not a URL/,
    ],
  ];
  for (const [name, file, sentence] of secrets)
    it(`report what is wrong in ${name} without quoting it`, async () => {
      const report = await reportOf(file);
      assert.match(because(report).join('\n'), sentence);
      assert.ok(!JSON.stringify(report).includes(secret));
      assert.doesNotMatch(JSON.stringify(report), /user:12|u:12/);
    });

  it('never show a password of a URL among the settings', async () => {
    const report = await reportOf(
      `${id}${database}${redis}application_server.integration.enabled=["mqtt"]\napplication_server.integration.mqtt.server="tcp://me:${secret}@broker.example.org:1883"\napplication_server.user_authentication.openid_connect.enabled=true\napplication_server.user_authentication.openid_connect.registration_callback_url="https://me:${secret}@example.org/hook"\n`,
    );
    assert.ok(!JSON.stringify(report).includes(secret));
    const notices = report.findings.map((finding) => finding.because).join('\n');
    assert.match(notices, /mqtt\.server contains a secret, .* set HILLTOP_MQTT_URL by hand/);
    assert.match(notices, /registration_callback_url contains a secret, .* set HILLTOP_OIDC_REGISTRATION_CALLBACK_URL/);
  });

  const odd: readonly (readonly [name: string, ...Parameters<typeof reportOf>])[] = [
    ['numbers and lists where tables are', 'redis=5\npostgresql=[1]\napplication_server="x"\nmetrics=1979-05-27\n'],
    ['a number for a name', `application_server.id=5\n${database}${redis}`],
    ['lists in a list of servers', `${id}${database}redis.servers=[[1], [], ["a"]]\n`],
    ['a database of Redis that is a fraction', `${id}${database}${redis}redis.database=1.5\n`],
    ['one below zero', `${id}${database}${redis}redis.database=-1\n`],
    ['no number at all', `${id}${database}${redis}redis.database=nan\n`],
    ['a secret that is a date', `${id}${database}${redis}application_server.external_api.jwt_secret=1979-05-27\n`],
    ['ten thousand brackets', `x=${'['.repeat(10_000)}`],
    ['a prototype', `[__proto__]\npolluted=1\n[constructor]\nprototype=1\n`],
    [
      'bytes that are no text',
      Buffer.from(Uint8Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256)).toString(),
    ],
  ];
  for (const [name, ...files] of odd)
    it(`report what is wrong with ${name}`, async () => {
      assert.ok(because(await reportOf(...files)).length > 0);
      assert.ok(!('polluted' in {}));
    });

  const deep: readonly (readonly [name: string, file: string])[] = [
    ['tables named by one key', `${Array(50_000).fill('a').join('.')}=1\n`],
    ['tables named by one heading', `[${Array(50_000).fill('a').join('.')}]\nb=1\n`],
    ['lists', `x=${'['.repeat(50_000)}`],
    ['inline tables', `x=${'{a='.repeat(50_000)}`],
  ];
  for (const [name, file] of deep)
    it(`refuse ${name} that nest too deeply, in a sentence`, async () =>
      assert.match(
        because(await reportOf(file)).join('\n'),
        /as\.toml nests tables or lists more than 16 levels deep/,
      ));

  const networks: readonly (readonly [name: string, file: string, environment: string, RegExp])[] = [
    [
      'channels that are none, in an environment',
      '',
      'NETWORK_SERVER__NETWORK_SETTINGS__EXTRA_CHANNELS=[null, 1, "x"]',
      /extra_channels in ns\.toml has an entry that is not a channel/,
    ],
    [
      'numbers of channels that are none',
      'network_server.network_settings.enabled_uplink_channels=[0, "one", 2]\n',
      '',
      /enabled_uplink_channels in ns\.toml has an entry that is not a whole number/,
    ],
    [
      'an unknown window',
      'network_server.network_settings.rx_window=7\n',
      '',
      /rx_window in ns\.toml is not 0, 1 or 2/,
    ],
    [
      'a delay that is no time',
      'network_server.deduplication_delay="soon"\n',
      '',
      /deduplication_delay in ns\.toml is not a duration/,
    ],
  ];
  for (const [name, ns, environment, sentence] of networks)
    it(`stop at ${name}`, async () =>
      assert.match(because(await reportOf(id + database + redis, '', ns, environment)).join('\n'), sentence));

  it('report an invalid key-encryption key', async () => {
    const report = await reportOf(`${id}${database}${redis}[[join_server.kek.set]]\nlabel="x"\nkek="${secret}"\n`);
    assert.match(
      JSON.stringify(report.findings),
      /key-encryption key \\"x\\" .* is not 32, 48 or 64 hexadecimal digits: it is not imported/,
    );
    assert.ok(!JSON.stringify(report).includes(secret));
  });
});
