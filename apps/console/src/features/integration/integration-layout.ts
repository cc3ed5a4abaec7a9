import { type IntegrationKindName, unchangedSecret } from '@hilltop/contract';
import type { FieldName } from '../../api/facts.ts';
import type { Config } from './kinds.ts';

export interface ShownField {
  name: FieldName;
  /** Shown only then. `stored` is how it was set up before it was opened. */
  when?: (values: Config, stored: Config) => boolean;
  /** Lines of text. */
  rows?: number;
  /** Something else than the choices can be given, under this label. */
  own?: string;
  /** Addresses separated by commas: spaces between them are taken out. */
  isList?: true;
}

export interface ShownSection {
  title: string;
  /** Opened by who wants it. */
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

/** Kept for those who have it: a new one is not offered. */
const ifStored = (name: FieldName): ShownField => ({ name, when: (_values, stored) => stored[name] !== '' });

/** The fields of each kind in the order of its form. What is not named is sent back as it was. */
export const layouts: Record<IntegrationKindName, readonly (ShownField | ShownSection)[]> = {
  AWS_SNS: plain('marshaler', 'region', 'accessKeyID', 'secretAccessKey', 'topicARN'),
  AZURE_SERVICE_BUS: plain('marshaler', 'connectionString', 'publishName'),
  GCP_PUBSUB: [...plain('marshaler', 'projectID', 'topicName'), { name: 'credentialsFile', rows: 10 }],
  HTTP: [
    ...plain('marshaler', 'headers'),
    { name: 'eventEndpointURL', isList: true },
    ...(
      [
        'uplinkDataURL',
        'joinNotificationURL',
        'statusNotificationURL',
        'locationNotificationURL',
        'ackNotificationURL',
        'txAckNotificationURL',
        'integrationNotificationURL',
        'errorNotificationURL',
      ] as const
    ).map((name) => ({ ...ifStored(name), isList: true as const })),
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
 * The configuration as it is sent: lists of addresses without spaces, and no kept secret that the form does not show, since
 * nobody could enter it again for another server.
 */
export function tidied(kind: IntegrationKindName, config: Config): Config {
  const rows = layouts[kind].flatMap((row) => ('fields' in row ? row.fields : [row]));
  const changed = rows.flatMap(({ name, isList, when }) => {
    if (isList) return [[name, String(config[name]).replaceAll(/\s/g, '')]];
    return when && config[name] === unchangedSecret && !when(config, config) ? [[name, '']] : [];
  });
  return { ...config, ...Object.fromEntries(changed) };
}
