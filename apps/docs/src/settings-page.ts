// Writes docs/settings.md from the configuration of the server; with --check it fails when the file differs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, settings } from '../../server/src/config.ts';
import { environmentName } from '../../server/src/environment-name.ts';
import type { SettingFacts } from '../../server/src/setting-schemas.ts';
import { source } from './pages.ts';

type Key = keyof Config;
interface Section {
  title: string;
  introduction?: string;
  keys: readonly Key[];
}

const introduction = `# Settings

Hilltop reads its settings from three sources. A later source overrides an earlier one:

1. the default,
2. the file \`hilltop.json\` in the working directory, or the file named by \`--config FILE\`,
3. environment variables.

The first column has the environment variable and the key in the JSON file:

\`\`\`json
{
  "http": "0.0.0.0:8080",
  "region": "EU868,US915:2",
  "databaseURL": "postgres://hilltop:secret@localhost/hilltop"
}
\`\`\`

The server refuses to start on an unknown setting or a wrong value, and names it. \`npm start -- --help\` prints this list. An empty value (\`HILLTOP_MQTT=\`) switches a listener off where the table says so. Settings marked *secret* can stay out of the environment: put them into the JSON file and make it readable for the server's user only. Settings marked *equal* must have the same value on [all instances](scaling.md#settings-that-must-be-equal).

Radio settings (channels, data rates, receive windows, ADR) are not in this list: you change them in the console, at *Network-servers* → *Radio*, while the server runs.
`;

const sections: readonly Section[] = [
  {
    title: 'Console and API',
    introduction:
      'One port answers the console, REST, gRPC, websockets and these documents. Set both TLS files for HTTPS, or put a [proxy with TLS](operate.md#tls-and-proxies) in front. A renewed certificate is loaded within seconds.',
    keys: [
      'http',
      'httpTLSCert',
      'httpTLSKey',
      'trustProxy',
      'corsAllowOrigin',
      'rateLimit',
      'brandingName',
      'brandingRegistration',
      'brandingFooter',
      'mapTilesURL',
      'mapAttribution',
    ],
  },
  {
    title: 'Device library',
    introduction:
      'See [Devices](devices.md#device-library). Nothing is downloaded until a global administrator presses the button.',
    keys: ['deviceLibraryURL'],
  },
  {
    title: 'Gateways',
    introduction: 'See [Gateways](gateways.md). MQTT gateways use the listeners of the next section.',
    keys: ['udp', 'basicsStation', 'basicsStationCert', 'basicsStationKey', 'basicsStationProof', 'listUnregistered'],
  },
  {
    title: 'MQTT',
    introduction:
      'See [Integrations](integrations.md#mqtt). `HILLTOP_MQTT_URL` replaces the embedded broker; `HILLTOP_MQTT_QOS` and `HILLTOP_MQTT_RETAIN_EVENTS` apply to that external broker only.',
    keys: [
      'mqtt',
      'mqtts',
      'mqttPublic',
      'mqttCert',
      'mqttKey',
      'mqttClientCACert',
      'mqttClientCAKey',
      'mqttCertLifetime',
      'mqttEventTopic',
      'mqttCommandTopic',
      'mqttURL',
      'mqttCA',
      'mqttTLSCert',
      'mqttTLSKey',
      'mqttQos',
      'mqttRetainEvents',
    ],
  },
  {
    title: 'Storage',
    introduction:
      'The data directory holds the embedded database and the keys that decrypt it. See [Back up and restore](operate.md#back-up-and-restore).',
    keys: [
      'data',
      'databaseURL',
      'threads',
      'encryptionKeyFile',
      'tokenKeyFile',
      'eventHistory',
      'eventLogKeep',
      'eventLogMax',
      'history',
      'historyDays',
      'historyEvents',
      'historySize',
      'seriesDays',
      'trashDays',
      'auditDays',
      'backupDir',
      'backupEvery',
      'backupKeep',
    ],
  },
  {
    title: 'Several instances',
    introduction: 'See [Scaling](scaling.md).',
    keys: ['redisURL', 'instanceName'],
  },
  {
    title: 'Network servers',
    introduction:
      'Each entry of `HILLTOP_REGION` creates an embedded network server once; afterwards the console adds, configures and removes them. Remote network servers connect to `HILLTOP_GRPC`. It answers only this machine by default; use `0.0.0.0:8001` with TLS for others.',
    keys: ['region', 'netID', 'queueItems', 'grpc', 'grpcPublic', 'grpcCA', 'grpcCert', 'grpcKey'],
  },
  {
    title: 'Join servers',
    introduction:
      'Devices join with the root keys stored in Hilltop. `HILLTOP_JOIN_SERVERS` names join servers of manufacturers (LoRaWAN Backend Interfaces) by JoinEUI; the longest matching prefix decides. `HILLTOP_JOIN_SERVER` lets external network servers ask Hilltop. It hands session keys to every client that sends a valid join-request: keep it in your own network or set `HILLTOP_JOIN_SERVER_CA`.\n\n```sh\nHILLTOP_JOIN_SERVERS=\'[{"joinEUI":"70b3d57ed0000000/40","url":"https://js.example.org","caCert":"ca.pem","tlsCert":"client.pem","tlsKey":"client.key"}]\'\n```',
    keys: [
      'joinServer',
      'joinServerCA',
      'joinServerCert',
      'joinServerKey',
      'joinServerKEK',
      'joinServerASLabel',
      'joinServers',
    ],
  },
  {
    title: 'Alerts and mail',
    introduction:
      'See [Alerts](alerts.md). Without a mail server, alerts are shown in the console and sent to webhooks.',
    keys: ['publicURL', 'smtpURL', 'smtpFrom'],
  },
  {
    title: 'Integrations',
    introduction:
      'See [Integrations](integrations.md). Terraform needs `HILLTOP_INTEGRATION_SECRETS=returned`: it compares what it wrote with what it reads, and otherwise fails with *inconsistent result after apply*.',
    keys: [
      'integrationMarshaler',
      'integrationEventID',
      'integrationSecrets',
      'outgoingAllow',
      'outgoingCA',
      'outgoingProxy',
      'deliveryMaxAge',
      'deliveryGiveUp',
      'deliveriesAtOnce',
      'amqpURL',
      'amqpRoutingKey',
      'eventsPostgresURL',
    ],
  },
  {
    title: 'Sign-in and sessions',
    keys: ['adminEmail', 'adminPassword', 'sessionIdleMinutes', 'sessionMaxMinutes', 'requireSecondFactor'],
  },
  {
    title: 'Single sign-on',
    introduction:
      'Register Hilltop at an OpenID Connect provider with the redirect address `https://<your address>/auth/oidc/callback`. The first sign-in finds the account by its verified e-mail address; afterwards the provider’s subject (`sub`) identifies it. The registration callback receives a POST with the form fields `user_id` and `oidc_claims` (JSON). If its address is private, list it in `HILLTOP_OUTGOING_ALLOW`.\n\n`HILLTOP_OIDC_GROUP_ROLES` gives rights by groups, such as `{"operators": "global-admin", "farm": "device-admin@farm, gateway-admin@farm"}`: the role `global-admin`, or `organization-admin`, `device-admin`, `gateway-admin`, `user` or `read-only` with `@` and the name of an organization. At each sign-in a user gets the memberships of its groups and loses those that came from groups before. What was given by hand stays, and so does the role of the last global administrator. At most 1,000 groups of a person are read.',
    keys: [
      'oidcProviderURL',
      'oidcClientID',
      'oidcClientSecret',
      'oidcRedirectURL',
      'oidcLogoutURL',
      'oidcLoginLabel',
      'oidcRegistration',
      'oidcRegistrationCallbackURL',
      'oidcUseUserinfo',
      'oidcAssumeEmailVerified',
      'oidcGroupRoles',
      'oidcGroupsClaim',
    ],
  },
  {
    title: 'Log and metrics',
    introduction:
      'Log lines are JSON on standard output. With `HILLTOP_METRICS_OLD_NAMES`, `/metrics` repeats counters under the names of ChirpStack 3: `grpc_server_started_total`, `grpc_server_handled_total`, `backend_mqtt_event_count`, `backend_mqtt_command_count` and `integration_mqtt_event_count`.',
    keys: ['logLevel', 'metricsAllow', 'metricsOldNames'],
  },
];

function page(): string {
  const all = Object.keys(settings.shape) as Key[];
  const listed = sections.flatMap(({ keys }) => keys);
  const missing = all.filter((key) => !listed.includes(key));
  if (missing.length > 0) throw new Error(`Add ${missing.join(', ')} to a section of apps/docs/src/settings-page.ts.`);
  const duplicate = listed.find((key, index) => listed.indexOf(key) !== index);
  if (duplicate) throw new Error(`${duplicate} is in two sections of apps/docs/src/settings-page.ts.`);
  const defaults = settings.parse({});
  return [introduction, ...sections.map((section) => textOf(section, defaults))].join('\n');
}

function textOf({ title, introduction, keys }: Section, defaults: Config): string {
  const rows = keys.map((key) => {
    const { help, usual, secret, mustMatch } = settings.shape[key].meta() as unknown as SettingFacts;
    const value = usual ?? shown(defaults[key]);
    const isCode = value !== '' && value !== '-' && !value.includes(' of ');
    const marks = [secret && '*secret*', mustMatch && '*equal*'].filter(Boolean).join(', ');
    const text = `${sentenceOf(help)}${marks && ` (${marks})`}`.replaceAll('|', '\\|');
    return `| \`${environmentName(key)}\` \`${key}\` | ${isCode ? `\`${value}\`` : value === '-' ? '' : value} | ${text} |`;
  });
  const table = ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
  return `${[`## ${title}`, ...(introduction ? [introduction] : []), table].join('\n\n')}\n`;
}

/** A help text with a capital and with names of settings as code. A value in front stays as it is: `` `true`: … ``. */
function sentenceOf(help: string): string {
  const text = help.replaceAll(/HILLTOP_[A-Z_]+/g, '`$&`');
  const [, value, meaning = ''] = /^(true|false|required|returned): (.*)$/.exec(text) ?? [];
  return value ? `\`${value}\`: ${meaning}` : `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

/** A default as it is written in the environment. */
function shown(value: Config[Key]): string {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').join(',');
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return 'host' in value ? `${value.host}:${value.port}` : '';
}

const file = join(source, 'settings.md');
const wanted = page();
if (!process.argv.includes('--check')) writeFileSync(file, wanted);
else if (readFileSync(file, 'utf8') !== wanted) {
  console.error('docs/settings.md differs from the configuration: run node apps/docs/src/settings-page.ts');
  process.exitCode = 1;
}
