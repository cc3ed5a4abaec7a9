import { generateKeyPairSync } from 'node:crypto';
import { type IntegrationKindName, type IntegrationKinds, integrationKinds, type ValueOf } from '@hilltop/contract';

type ConfigOf<Kind extends IntegrationKindName> = ValueOf<IntegrationKinds[Kind]['config']>;

/** The kinds that can be created: those whose service has not ended. */
export const offeredKinds = Object.values(integrationKinds).filter((kind) => !('ended' in kind));

/** The private key of the service-account in the sample. */
export const serviceAccountKeys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Sample settings by kind; every secret contains the word canary. */
export const sampleIntegrations: { readonly [Kind in IntegrationKindName]: Omit<ConfigOf<Kind>, 'applicationID'> } = {
  HTTP: {
    headers: [
      { key: 'X-Site', value: 'north' },
      { key: 'Authorization', value: 'Bearer canary-http' },
    ],
    uplinkDataURL: '',
    joinNotificationURL: '',
    ackNotificationURL: '',
    errorNotificationURL: '',
    statusNotificationURL: '',
    locationNotificationURL: '',
    txAckNotificationURL: '',
    integrationNotificationURL: '',
    marshaler: 'JSON',
    eventEndpointURL: 'https://sink.example.org/hook?site=a',
  },
  INFLUXDB: {
    endpoint: 'https://influx.example.org:8086/write',
    db: 'fields',
    username: 'writer',
    password: 'canary-influx-password',
    retentionPolicyName: '',
    precision: 'MS',
    version: 'INFLUXDB_1',
    token: 'canary-influx-token',
    organization: '',
    bucket: '',
  },
  THINGSBOARD: { server: 'https://board.example.org' },
  MYDEVICES: { endpoint: 'https://devices.example.org/uplink' },
  LORACLOUD: {
    geolocation: false,
    geolocationToken: 'canary-loracloud-geolocation',
    geolocationBufferTTL: 0,
    geolocationMinBufferSize: 0,
    geolocationTDOA: false,
    geolocationRSSI: false,
    geolocationGNSS: false,
    geolocationGNSSPayloadField: '',
    geolocationGNSSUseRxTime: false,
    geolocationWifi: false,
    geolocationWifiPayloadField: '',
    das: true,
    dasToken: 'canary-loracloud-das',
    dasModemPort: 199,
    dasGNSSPort: 198,
    dasGNSSUseRxTime: false,
    dasStreamingGeolocWorkaround: false,
  },
  GCP_PUBSUB: {
    marshaler: 'JSON',
    credentialsFile: JSON.stringify({
      type: 'service_account',
      project_id: 'acme',
      private_key_id: 'canary-gcp',
      private_key: serviceAccountKeys.privateKey,
      client_email: 'hilltop@acme.iam.gserviceaccount.com',
      token_uri: 'https://oauth2.googleapis.com/token',
    }),
    projectID: 'acme',
    topicName: 'lora-events',
  },
  AWS_SNS: {
    marshaler: 'JSON',
    region: 'eu-west-1',
    accessKeyID: 'AKIDEXAMPLE',
    secretAccessKey: 'canary-aws-secret',
    topicARN: 'arn:aws:sns:eu-west-1:123456789012:lora',
  },
  AZURE_SERVICE_BUS: {
    marshaler: 'JSON',
    connectionString:
      'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=canary-azure-key=',
    publishName: 'lora-events',
  },
  PILOT_THINGS: { server: 'https://pilot.example.org', token: 'canary-pilot-token' },
};
