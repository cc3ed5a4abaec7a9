import {
  administrators,
  applicationReaders,
  every,
  first,
  limitedReaders,
  listersOfOwn,
  only,
  organizationAdmins,
} from './access.ts';
import { integrationCalls } from './integrations/operations.ts';
import { extended, get, including, operationsOf, page, post, put, remove, sortable } from './operation.ts';
import {
  description,
  noControlCharacters,
  ownerOrganization,
  payloadCodecs,
  script,
  shortText,
  strictName,
} from './rules.ts';
import {
  enumeration,
  ifGiven,
  int64,
  listOf,
  message,
  needed,
  oneOf,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const legacyCodec = 'Legacy codec of the application. The codec of the device-profile has precedence.';

export const Application = message('api.Application', {
  id: int64({ label: 'Application ID' }),
  name: text({ ...strictName, label: 'Application name' }),
  description: text({ ...description, label: 'Application description', form: { required: true } }),
  organizationID: int64(ownerOrganization),
  serviceProfileID: uuid({
    label: 'Service-profile',
    help: 'The service-profile of all devices of this application. It cannot be changed in the console later.',
    required: true,
    fixed: true,
  }),
  payloadCodec: text({
    ...noControlCharacters,
    label: 'Payload codec',
    help: legacyCodec,
    maxLength: 100,
    choices: payloadCodecs,
  }),
  payloadEncoderScript: text({ ...script, label: 'Encoder', help: legacyCodec }),
  payloadDecoderScript: text({ ...script, label: 'Decoder', help: legacyCodec }),
});
export type Application = ValueOf<typeof Application>;

const RecordedListItem = message('api.ApplicationListItem', {
  id: int64(),
  name: text(),
  description: text(),
  organizationID: int64(),
  serviceProfileID: text(),
  serviceProfileName: text(),
});
const activeHelp = 'Active are devices that were last seen at most 1.5 uplink intervals of their device-profile ago.';
/** The counts are returned on request by `include=counts`. */
export const ApplicationListItem = extended(RecordedListItem, {
  deviceCount: [1000, ifGiven(uint32({ label: 'Devices' }))],
  activeCount: [1001, ifGiven(uint32({ label: 'Active devices', help: activeHelp }))],
  inactiveCount: [1002, ifGiven(uint32({ label: 'Inactive devices' }))],
  uplinkCount: [
    1003,
    ifGiven(
      uint32({ label: 'Uplinks today', help: 'Since midnight at the server, without those of the last minute.' }),
    ),
  ],
  integrationCount: [1004, ifGiven(uint32({ label: 'Integrations' }))],
  troubledIntegrationCount: [1005, ifGiven(uint32({ label: 'Integrations that are degraded or suspended' }))],
});
export type ApplicationListItem = ValueOf<typeof ApplicationListItem>;

const IntegrationKind = enumeration('api.IntegrationKind', [
  'HTTP',
  'INFLUXDB',
  'THINGSBOARD',
  'MYDEVICES',
  'LORACLOUD',
  'GCP_PUBSUB',
  'AWS_SNS',
  'AZURE_SERVICE_BUS',
  'PILOT_THINGS',
  'MQTT_GLOBAL',
]);

export const IntegrationListItem = message('api.IntegrationListItem', { kind: oneOf(IntegrationKind) });
export type IntegrationListItem = ValueOf<typeof IntegrationListItem>;

const inOrganization = {
  ...({ on: 'organization', of: 'application.organizationID', allow: organizationAdmins } as const),
};
const oneApplication = { id: int64({ required: true }) } as const;

export const application = operationsOf('application', 'ApplicationService', {
  list: get('/api/applications', {
    summary: 'List applications by name',
    request: including(
      sortable(
        message('api.ListApplicationRequest', { ...page, organizationID: int64(), search: text(shortText) }),
        ApplicationListItem,
        'id',
        'name',
        'description',
        'serviceProfileName',
      ),
      'counts',
    ),
    response: message('api.ListApplicationResponse', { totalCount: int64(), result: listOf(ApplicationListItem) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: limitedReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
  get: get('/api/applications/{id}', {
    summary: 'Get an application',
    request: message('api.GetApplicationRequest', oneApplication),
    response: message('api.GetApplicationResponse', { application: needed(Application) }),
    access: only('application', 'id', applicationReaders),
  }),
  create: post('/api/applications', {
    summary: 'Create an application',
    request: extended(message('api.CreateApplicationRequest', { application: needed(Application) }), {
      integrationsFrom: [
        1000,
        int64({
          label: 'Copy the integrations of',
          help: 'An application. Its integrations are copied without secrets, and are suspended until they are resumed or changed.',
        }),
      ],
    }),
    response: message('api.CreateApplicationResponse', { id: int64() }),
    access: every(
      { ...inOrganization, when: 'application.organizationID' },
      { when: 'integrationsFrom', on: 'application', of: 'integrationsFrom', allow: administrators },
      inOrganization,
    ),
  }),
  update: put('/api/applications/{application.id}', {
    summary: 'Update an application; its organization stays',
    request: message('api.UpdateApplicationRequest', { application: needed(Application) }),
    access: only('application', 'application.id', administrators),
  }),
  delete: remove('/api/applications/{id}', {
    summary: 'Delete an application with all its devices',
    request: message('api.DeleteApplicationRequest', oneApplication),
    access: only('application', 'id', administrators),
  }),
  listIntegrations: get('/api/applications/{application_id}/integrations', {
    summary: 'List the kinds of integration an application has',
    request: message('api.ListIntegrationRequest', { applicationID: int64({ required: true }) }),
    response: message('api.ListIntegrationResponse', { totalCount: int64(), result: listOf(IntegrationListItem) }),
    access: only('application', 'applicationID', administrators),
  }),
  generateMQTTIntegrationClientCertificate: post('/api/applications/{application_id}/integrations/mqtt/certificate', {
    summary: 'Create a client certificate for MQTT; its private key is returned once',
    request: message('api.GenerateMQTTIntegrationClientCertificateRequest', {
      applicationID: int64({ required: true }),
    }),
    response: message('api.GenerateMQTTIntegrationClientCertificateResponse', {
      tlsCert: text({ label: 'TLS certificate' }),
      tlsKey: text({ label: 'TLS key', secret: true }),
      caCert: text({ label: 'CA certificate' }),
      expiresAt: timestamp({ label: 'Expires' }),
    }),
    access: only('application', 'applicationID', administrators),
  }),
  ...integrationCalls((applicationID) => only('application', applicationID, administrators)),
});
