import { enumeration, message, oneOf, text, type ValueOf } from '../wire.ts';
import { applicationID, oneLine } from './fields.ts';
import { kindOf } from './kind.ts';
import { oneURL, unreadableURLs } from './url.ts';

const Precision = enumeration('api.InfluxDBPrecision', ['NS', 'U', 'MS', 'S', 'M', 'H']);
const Version = enumeration('api.InfluxDBVersion', ['INFLUXDB_1', 'INFLUXDB_2']);

const inVersion1 = { form: { requiredWhen: { field: 'version', is: 'INFLUXDB_1' } } } as const;
const inVersion2 = { form: { requiredWhen: { field: 'version', is: 'INFLUXDB_2' } } } as const;

export const InfluxDBIntegration = message('api.InfluxDBIntegration', {
  applicationID,
  endpoint: text({
    label: 'API endpoint (write)',
    help: 'The full address of the write call, such as https://influx.example.com:8086/write or …/api/v2/write.',
    required: true,
    ...oneURL,
  }),
  db: text({ ...oneLine, label: 'Database name', maxLength: 200, ...inVersion1 }),
  username: text({ ...oneLine, label: 'Username', maxLength: 200 }),
  password: text({ ...oneLine, label: 'Password', secret: true, maxLength: 1000 }),
  retentionPolicyName: text({
    ...oneLine,
    label: 'Retention policy name',
    help: 'Empty: the default of the database.',
    maxLength: 200,
  }),
  precision: oneOf(Precision, {
    label: 'Timestamp precision',
    help: 'The precision of stored times. A lower precision uses less space.',
    choices: [
      { value: 'NS', label: 'Nanosecond' },
      { value: 'U', label: 'Microsecond' },
      { value: 'MS', label: 'Millisecond' },
      { value: 'S', label: 'Second' },
      { value: 'M', label: 'Minute' },
      { value: 'H', label: 'Hour' },
    ],
  }),
  version: oneOf(Version, {
    label: 'InfluxDB version',
    choices: [
      { value: 'INFLUXDB_1', label: 'InfluxDB v1' },
      { value: 'INFLUXDB_2', label: 'InfluxDB v2' },
    ],
  }),
  token: text({ ...oneLine, label: 'Token', secret: true, maxLength: 1000, ...inVersion2 }),
  organization: text({ ...oneLine, label: 'Organization', help: 'Its name or id.', maxLength: 200, ...inVersion2 }),
  bucket: text({ ...oneLine, label: 'Bucket', help: 'Its name or id.', maxLength: 200, ...inVersion2 }),
});
export type InfluxDBIntegration = ValueOf<typeof InfluxDBIntegration>;

export const influxdb = kindOf({
  kind: 'INFLUXDB',
  path: 'influxdb',
  rpc: 'InfluxDB',
  label: 'InfluxDB',
  sentence: 'Writes decoded values and device status to an InfluxDB time series database.',
  config: InfluxDBIntegration,
  problemsOf: (config) => unreadableURLs(config, ['endpoint']),
});
