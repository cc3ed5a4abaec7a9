import { expect, it } from 'vitest';
import { fieldsOf } from '../../api/facts.ts';
import { integrationKinds, segmentOf } from '../../api/integration-facts.ts';
import { layouts, tidied } from './integration-layout.ts';
import { kindAt, newConfig } from './kinds.ts';

it('spells the kinds in URLs as users know them', () => {
  expect(integrationKinds.map(({ kind }) => segmentOf(kind))).toEqual([
    'aws-sns',
    'azure-service-bus',
    'gcp-pubsub',
    'http',
    'influxdb',
    'mydevices',
    'pilot-things',
    'loracloud',
    'thingsboard',
  ]);
  expect(kindAt('carrier-pigeon')).toBeUndefined();
});

it('uses the product names of the kinds', () => {
  expect(integrationKinds.map(({ label }) => label)).toEqual([
    'AWS SNS',
    'Azure Service Bus',
    'GCP Pub/Sub',
    'HTTP',
    'InfluxDB',
    'myDevices',
    'Pilot Things',
    'Semtech LoRa Cloud',
    'ThingsBoard',
  ]);
});

for (const { kind, config, label } of integrationKinds)
  it(`shows fields of ${label} that there are, each once`, () => {
    const names = layouts[kind].flatMap((row) => ('fields' in row ? row.fields : [row])).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(fieldsOf(config)).toEqual(expect.arrayContaining(names));
  });

it('knows the discontinued services', () => {
  const ended = integrationKinds.flatMap(({ label, ended: date }) => (date === undefined ? [] : [[label, date]]));
  expect(ended).toEqual([['Semtech LoRa Cloud', '2025-07-31']]);
});

it('fills a new LoRa Cloud integration with its services and their usual ports', () => {
  expect(newConfig(kindAt('loracloud')!, '7')).toMatchObject({
    applicationID: '7',
    das: true,
    dasModemPort: 199,
    dasGNSSPort: 198,
    geolocationTDOA: false,
    dasToken: '',
  });
});

it('selects the first choice of other new integrations', () => {
  expect(newConfig(kindAt('influxdb')!, '7')).toMatchObject({ version: 'INFLUXDB_1', precision: 'NS', endpoint: '' });
  expect(newConfig(kindAt('http')!, '7')).toMatchObject({ marshaler: 'JSON', headers: [] });
});

it('omits the stored secret of a version that is not selected', () => {
  const stored = { ...newConfig(kindAt('influxdb')!, '7'), token: '(unchanged)', password: '(unchanged)' };
  expect(tidied('INFLUXDB', stored)).toMatchObject({ token: '', password: '(unchanged)' });
  expect(tidied('INFLUXDB', { ...stored, version: 'INFLUXDB_2' })).toMatchObject({
    token: '(unchanged)',
    password: '',
  });
});

it('removes the spaces from lists of addresses', () => {
  const config = newConfig(kindAt('http')!, '7');
  expect(tidied('HTTP', { ...config, eventEndpointURL: ' https://a.example , https://b.example ' })).toMatchObject({
    eventEndpointURL: 'https://a.example,https://b.example',
  });
});
