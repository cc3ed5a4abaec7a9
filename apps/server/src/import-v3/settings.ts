import { environmentName } from '../environment-name.ts';
import { parseTemplate } from '../integrations/topic-template.ts';
import type { ReportBook } from './report/report.ts';
import { builtIn, isBuiltIn } from './source/built-in-settings.ts';
import type { SettingsFile } from './source/settings-file.ts';

/**
 * Settings of the application server, by their name in `hilltop.json`. Secrets are not written: the report lists what
 * to set by hand.
 */
const texts: readonly (readonly [ours: string, theirs: string])[] = [
  ['brandingRegistration', 'application_server.branding.registration'],
  ['brandingFooter', 'application_server.branding.footer'],
  ['httpTLSCert', 'application_server.external_api.tls_cert'],
  ['httpTLSKey', 'application_server.external_api.tls_key'],
  ['corsAllowOrigin', 'application_server.external_api.cors_allow_origin'],
];

const singleSignOn = 'application_server.user_authentication.openid_connect';
const singleSignOnTexts: readonly (readonly [ours: string, theirs: string])[] = [
  ['oidcProviderURL', 'provider_url'],
  ['oidcClientID', 'client_id'],
  ['oidcRedirectURL', 'redirect_url'],
  ['oidcLogoutURL', 'logout_url'],
  ['oidcLoginLabel', 'login_label'],
  ['oidcRegistrationCallbackURL', 'registration_callback_url'],
];
const singleSignOnFlags: readonly (readonly [ours: string, theirs: string])[] = [
  ['oidcRegistration', 'registration_enabled'],
  ['oidcAssumeEmailVerified', 'assume_email_verified'],
];

/** Number of stored events of a device, in both servers. */
const usualHistory = 10;

const mqtt = 'application_server.integration.mqtt';
const topics = [
  ['mqttEventTopic', 'event_topic_template'],
  ['mqttCommandTopic', 'command_topic_template'],
] as const;

/** Global integrations that have a setting in Hilltop, with credentials in their address. */
const withURL: readonly (readonly [name: string, theirs: string, setting: string])[] = [
  ['amqp', 'application_server.integration.amqp.url', 'HILLTOP_AMQP_URL'],
  ['postgresql', 'application_server.integration.postgresql.dsn', 'HILLTOP_EVENTS_POSTGRES_URL'],
];
const ofApplications = ['aws_sns', 'azure_service_bus', 'gcp_pub_sub'];

/** Global integrations that version 3 uses. */
function enabledIntegrations(file: SettingsFile): string[] {
  const enabled = file.list('application_server.integration.enabled', builtIn.integrations).map(String);
  const only = file.text('application_server.integration.backend');
  return only === '' ? enabled : [only];
}

export function importSettings(file: SettingsFile, report: ReportBook): void {
  const by = (setting: string, path: string) =>
    report.find(
      'notice',
      'settings',
      `${path} contains a secret, which the import does not write: set ${setting} by hand`,
    );
  const set = (ours: string, v3Path: string) => {
    const value = file.text(v3Path);
    if (hasCredentials(value)) by(environmentName(ours), v3Path);
    else if (value !== '') report.set(ours, value);
  };
  for (const [ours, v3Path] of texts) set(ours, v3Path);
  const bind = file.text('application_server.external_api.bind');
  if (/^[^:]+:\d+$/.test(bind)) report.set('http', bind);
  const history = file.number('application_server.monitoring.per_device_event_log_max_history', usualHistory);
  if (history !== usualHistory) report.set('eventHistory', history);
  const timeZone = file.text('metrics.timezone');
  if (timeZone !== '' && timeZone !== 'Local')
    report.find(
      'notice',
      'settings',
      `days of statistics begin in the time zone ${timeZone}: start Hilltop with TZ=${timeZone}`,
    );
  const marshaler = file.text('application_server.integration.marshaler');
  if (marshaler !== '') report.set('integrationMarshaler', marshaler);

  if (file.flag(`${singleSignOn}.enabled`)) {
    for (const [ours, v3Name] of singleSignOnTexts) set(ours, `${singleSignOn}.${v3Name}`);
    for (const [ours, v3Name] of singleSignOnFlags) if (file.flag(`${singleSignOn}.${v3Name}`)) report.set(ours, true);
    if (file.text(`${singleSignOn}.client_secret`) !== '')
      by('HILLTOP_OIDC_CLIENT_SECRET', `${singleSignOn}.client_secret`);
  }

  const enabled = enabledIntegrations(file);
  if (enabled.includes('mqtt')) importMQTT(file, report, by);
  for (const [name, path, setting] of withURL) if (enabled.includes(name)) by(setting, path);
  if (enabled.includes('kafka'))
    report.find(
      'not imported',
      'settings',
      'Kafka is not supported. Let Kafka read events from an MQTT broker (HILLTOP_MQTT_URL), from RabbitMQ (HILLTOP_AMQP_URL) or from a PostgreSQL database (HILLTOP_EVENTS_POSTGRES_URL), each of which Kafka Connect has a connector for',
    );
  for (const name of ofApplications)
    if (enabled.includes(name))
      report.find('not imported', 'settings', `Hilltop has no global integration ${name}: add it to each application`);
  if (file.list('join_server.kek.set').length > 0) by('HILLTOP_JOIN_SERVER_KEK', 'join_server.kek.set');
  const label = file.text('join_server.kek.as_kek_label');
  if (label !== '') report.set('joinServerASLabel', label);
}

function hasCredentials(text: string): boolean {
  const { username, password } = URL.parse(text) ?? {};
  return Boolean(username) || Boolean(password);
}

function importMQTT(file: SettingsFile, report: ReportBook, by: (setting: string, path: string) => void): void {
  const server = URL.parse(file.text(`${mqtt}.server`, builtIn.mqttServer));
  if (server && hasCredentials(server.href)) by('HILLTOP_MQTT_URL', `${mqtt}.server`);
  else if (server && file.text(`${mqtt}.username`) === '' && file.text(`${mqtt}.password`) === '')
    report.set('mqttURL', server.href);
  else if (server) by('HILLTOP_MQTT_URL', `${mqtt}.password`);
  for (const [ours, v3Name] of topics) {
    const template = file.text(`${mqtt}.${v3Name}`);
    if (template === '') continue;
    try {
      parseTemplate(template, ['ApplicationID', 'DevEUI']);
      report.set(ours, template);
    } catch (error) {
      report.find('not imported', 'settings', `${mqtt}.${v3Name} cannot be imported: it ${(error as Error).message}`);
    }
  }
}

/** Settings of a network server about gateways and roaming partners that are not imported. */
export function reportNetworkServerSettings(file: SettingsFile, report: ReportBook): void {
  const eventTopic = file.text('network_server.gateway.backend.mqtt.event_topic', 'gateway/+/event/+');
  if (eventTopic !== 'gateway/+/event/+')
    report.find(
      'not imported',
      'settings',
      'gateways use other MQTT topics than gateway/<id>/event/<event>: change that at the gateway bridges',
      file.path,
    );
  const backend = file.text('network_server.gateway.backend.type', 'mqtt');
  if (backend !== 'mqtt')
    report.find(
      'stops',
      'settings',
      `gateways connect by ${backend.slice(0, 20)}, which Hilltop does not support: it would receive nothing. Connect them by MQTT or Semtech UDP`,
      file.path,
    );
  if (file.flag('network_server.gateway.force_gws_private'))
    report.find(
      'stops',
      'settings',
      'network_server.gateway.force_gws_private has no equivalent in Hilltop, and without it all organizations would use all gateways: make the service-profiles private and switch it off',
      file.path,
    );
  if (file.list('roaming.servers').length > 0)
    report.find('not imported', 'settings', 'Hilltop does not support passive roaming with other networks', file.path);
  if (file.text('network_controller.server') !== '')
    report.find('not imported', 'settings', 'Hilltop does not support a network controller', file.path);
  if (file.list('network_server.network_settings.adr_plugins').length > 0)
    report.find(
      'not imported',
      'settings',
      'Hilltop does not support ADR plugins: the default algorithm replaces them',
      file.path,
    );
  if (file.list('join_server.servers').length > 0)
    report.find(
      'notice',
      'settings',
      'devices whose keys are at another join server need it in HILLTOP_JOIN_SERVERS',
      file.path,
    );
}

/** Settings that concern the old processes only: connection pools, logs, listeners. */
const oldProcessSettings = /^(general|postgresql|redis|monitoring|metrics\.redis|metrics\.prometheus)\./;

/** The most characters of a name that are shown. */
const longestPart = 60;

/** Whether version 3 itself ignores a setting, since its section is switched off. */
function isUnused(file: SettingsFile, path: string): boolean {
  const [, integration] = /^application_server\.integration\.(\w+)\./.exec(path) ?? [];
  if (integration !== undefined) return !enabledIntegrations(file).includes(integration);
  const [, backend] = /^network_server\.gateway\.backend\.(\w+)\./.exec(path) ?? [];
  if (backend !== undefined) return backend !== file.text('network_server.gateway.backend.type', 'mqtt');
  if (path.startsWith(`${singleSignOn}.`)) return !file.flag(`${singleSignOn}.enabled`);
  return path.startsWith('roaming.default.') && !file.flag('roaming.default.enabled');
}

/** Reports each setting of a file that differs from the default of version 3 and that the import has not read. */
export function reportUnread(file: SettingsFile, report: ReportBook): void {
  for (const { path, value } of file.unread()) {
    if (oldProcessSettings.test(path) || isBuiltIn(path, value) || isUnused(file, path)) continue;
    const part = path.split('.').slice(0, -1).join('.').slice(0, longestPart);
    report.find(
      'notice',
      `settings of ${file.path}`,
      `setting of ${part || 'the top level'} that is not imported: check whether Hilltop needs it`,
      path,
    );
  }
}
