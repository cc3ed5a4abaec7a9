import { type IntegrationKindName, unchangedSecret } from '@hilltop/contract';
import type { FieldName } from '../../api/facts.ts';
import type { Config } from './kinds.ts';

export interface ShownField {
  name: FieldName;
  /** The condition under which the field is shown. `stored` is the saved configuration. */
  when?: (values: Config, stored: Config) => boolean;
  /** A text of several lines. */
  rows?: number;
  /** Another value than the choices is allowed, with this label. */
  own?: string;
  /** Without it the integration would send nothing. */
  required?: (stored: Config) => boolean;
  /** Addresses separated by commas: spaces between them are removed. */
  isList?: true;
}

export interface ShownSection {
  title: string;
  /** A section that is collapsed initially. */
  isFolded?: true;
  fields: readonly ShownField[];
}

const plain = (...names: FieldName[]): ShownField[] => names.map((name) => ({ name }));
const only =
  (when: (values: Config) => boolean) =>
  (...names: FieldName[]): ShownField[] =>
    names.map((name) => ({ name, when }));

const inVersion1 = only(({ version }) => version === 'INFLUXDB_1');
const inVersion2 = only(({ version }) => version === 'INFLUXDB_2');
const withDAS = only(({ das }) => das === true);
const byGateways = only(({ geolocationTDOA, geolocationRSSI }) => geolocationTDOA === true || geolocationRSSI === true);
const byWifi = only(({ geolocationWifi }) => geolocationWifi === true);
const byGNSS = only(({ geolocationGNSS }) => geolocationGNSS === true);

/** Shown only for integrations that already have a value. */
const ifStored = (name: FieldName): ShownField => ({ name, when: (_values, stored) => stored[name] !== '' });

/** Addresses for one type of event each. */
const ownAddresses = [
  'uplinkDataURL',
  'joinNotificationURL',
  'statusNotificationURL',
  'locationNotificationURL',
  'ackNotificationURL',
  'txAckNotificationURL',
  'integrationNotificationURL',
  'errorNotificationURL',
] as const;

/** The fields of each kind in the order of its form. Other fields are sent back unchanged. */
export const layouts: Record<IntegrationKindName, readonly (ShownField | ShownSection)[]> = {
  AWS_SNS: plain('marshaler', 'region', 'accessKeyID', 'secretAccessKey', 'topicARN'),
  AZURE_SERVICE_BUS: plain('marshaler', 'connectionString', 'publishName'),
  GCP_PUBSUB: [...plain('marshaler', 'projectID', 'topicName'), { name: 'credentialsFile', rows: 10 }],
  HTTP: [
    ...plain('marshaler', 'headers'),
    { name: 'eventEndpointURL', isList: true, required: (stored) => !ownAddresses.some((name) => stored[name]) },
    ...ownAddresses.map((name) => ({ ...ifStored(name), isList: true as const })),
  ],
  INFLUXDB: [
    ...plain('version', 'endpoint'),
    ...inVersion1('username', 'password', 'db', 'retentionPolicyName', 'precision'),
    ...inVersion2('organization', 'bucket', 'token'),
  ],
  MYDEVICES: [{ name: 'endpoint', own: 'Custom endpoint' }],
  PILOT_THINGS: plain('server', 'token'),
  LORACLOUD: [
    ...plain('dasToken', 'das'),
    ...withDAS('dasModemPort', 'dasGNSSPort', 'dasGNSSUseRxTime', 'dasStreamingGeolocWorkaround'),
    {
      title: 'Advanced geolocation options',
      isFolded: true,
      fields: [
        ...plain('geolocationTDOA', 'geolocationRSSI'),
        ...byGateways('geolocationBufferTTL', 'geolocationMinBufferSize'),
        ...plain('geolocationWifi'),
        ...byWifi('geolocationWifiPayloadField'),
        ...plain('geolocationGNSS'),
        ...byGNSS('geolocationGNSSPayloadField', 'geolocationGNSSUseRxTime'),
        ifStored('geolocationToken'),
      ],
    },
  ],
  THINGSBOARD: plain('server'),
};

/**
 * The configuration to send: lists of addresses without spaces, and without stored secrets that the form does not show,
 * because the user could not enter them again for another server.
 */
export function tidied(kind: IntegrationKindName, config: Config): Config {
  const rows = layouts[kind].flatMap((row) => ('fields' in row ? row.fields : [row]));
  const changed = rows.flatMap(({ name, isList, when }) => {
    if (isList) return [[name, String(config[name]).replaceAll(/\s/g, '')]];
    return when && config[name] === unchangedSecret && !when(config, config) ? [[name, '']] : [];
  });
  return { ...config, ...Object.fromEntries(changed) };
}
