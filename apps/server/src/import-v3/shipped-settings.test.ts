import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { dryRun } from './import.ts';
import { createReport, type Report } from './report/report.ts';
import { importSettings, reportUnread } from './settings.ts';
import { settingsOfTexts } from './source/settings-file.ts';
import { fillVersion3 } from './testing/fixture.ts';
import {
  generatedApplicationServer,
  generatedNetworkServer,
  packagedApplicationServer,
  packagedNetworkServers,
} from './testing/shipped-settings.ts';
import { applicationServerID, needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const sentences = ({ findings }: Report, ...kinds: string[]) =>
  findings.filter(({ kind }) => kinds.includes(kind)).map(({ what, because }) => `${what}: ${because}`);

/** The findings of a report about settings. */
function reportOfSettings(text: string, environment = ''): Report {
  const report = createReport();
  const file = settingsOfTexts('as.toml', text, environment);
  importSettings(file, report);
  reportUnread(file, report);
  return report.report();
}

describe('shipped settings files of version 3', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
  });
  after(() => v3[Symbol.asyncDispose]());

  /** Reports these files. The environment sets only the addresses of the test databases. */
  async function reportOf(as: string, ns: string): Promise<Report> {
    const directory = dirname(v3.config);
    const given = async (name: 'as' | 'ns', text: string) => {
      const path = join(directory, `shipped-${name}.toml`);
      await writeFile(path, text);
      await writeFile(
        `${path}.env`,
        `POSTGRESQL__DSN=${v3.dsnOf(name)}\nREDIS__URL=redis://127.0.0.1:${v3.redisPort}/${name === 'as' ? 1 : 0}\n`,
      );
      return `${path},${path}.env`;
    };
    const choice = { config: await given('as', as), networkServerConfigs: [await given('ns', ns)] };
    return dryRun({ ...choice, downlinkMargin: 1, isFinal: false }, quiet);
  }

  for (const [band, ns] of Object.entries(packagedNetworkServers))
    it(`can be imported when they are those of the packages for ${band}`, async () => {
      const report = await reportOf(packagedApplicationServer, ns);
      assert.deepEqual(sentences(report, 'stops'), []);
      const ofTheID = sentences(report, 'notice').filter((line) => line.includes('application_server.id'));
      assert.equal(ofTheID.length, 1);
      assert.ok(ofTheID[0]!.includes(applicationServerID));
      assert.equal(report.settings['mqttURL'], 'tcp://localhost:1883');
      assert.deepEqual(
        sentences(report, 'notice', 'not imported').filter((line) => line.includes('settings of')),
        [],
      );
    });

  it('can be imported when they are empty', async () => {
    const report = await reportOf('', '');
    assert.deepEqual(sentences(report, 'stops'), []);
    assert.equal(report.settings['mqttURL'], 'tcp://localhost:1883');
  });

  it('are not reported where they have the default of version 3', async () => {
    const report = await reportOf(generatedApplicationServer, generatedNetworkServer);
    assert.deepEqual(sentences(report, 'stops'), []);
    assert.deepEqual(
      sentences(report, 'notice', 'not imported').filter((line) => line.startsWith('settings')),
      [],
    );
    assert.ok(!sentences(report, 'notice').join('\n').includes('application_server.id'));
  });
});

describe('settings of version 3 in a report', () => {
  it('are named when they differ from the default of version 3', () => {
    const report = reportOfSettings(
      'application_server.codec.js.max_execution_time="1s"\napplication_server.remote_multicast_setup.sync_retries=3\n',
      'APPLICATION_SERVER__REMOTE_MULTICAST_SETUP__SYNC_BATCH_SIZE=100\nAPPLICATION_SERVER__FRAGMENTATION_SESSION__SYNC_INTERVAL=1000ms\n',
    );
    assert.deepEqual(
      report.findings.map(({ examples }) => examples),
      [['application_server.codec.js.max_execution_time']],
    );
  });

  it('are left out for integrations that are not enabled', () => {
    const report = reportOfSettings(
      'application_server.integration.enabled=["amqp"]\napplication_server.integration.mqtt.server="tcp://broker.example.org:1883"\napplication_server.integration.mqtt.qos=2\napplication_server.integration.kafka.topic="mine"\n',
    );
    assert.equal(report.settings['mqttURL'], undefined);
    assert.deepEqual(
      report.findings.map(({ because }) => because),
      [
        'application_server.integration.amqp.url contains a secret, which the import does not write: set HILLTOP_AMQP_URL by hand',
      ],
    );
  });

  it('state that Kafka is not supported, and the alternatives', () => {
    const report = reportOfSettings('application_server.integration.enabled=["kafka", "aws_sns"]\n');
    const [kafka, sns] = report.findings.map(({ because }) => because);
    assert.match(kafka!, /^Kafka is not supported/);
    assert.match(kafka!, /HILLTOP_MQTT_URL|HILLTOP_AMQP_URL/);
    assert.doesNotMatch(kafka!, /to each application$/);
    assert.match(sns!, /aws_sns: .* to each application$/);
  });

  it('name the one integration of a file in the older notation', () => {
    const report = reportOfSettings('application_server.integration.backend="amqp"\n');
    assert.match(report.findings[0]!.because, /HILLTOP_AMQP_URL/);
    assert.equal(report.settings['mqttURL'], undefined);
  });
});
