import type { IntegrationKindName } from '@hilltop/contract';

/** Settings of an integration: as version 3 stores them, and as a message of the contract. */
type Given = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Fields that have another name in the contract. */
const renamed: Partial<Record<IntegrationKindName, Readonly<Record<string, string>>>> = {
  HTTP: { dataUpURL: 'uplinkDataURL' },
  INFLUXDB: { org: 'organization' },
  LORACLOUD: { geolicationGNSSUseRxTime: 'geolocationGNSSUseRxTime' },
};

/** Fields that have another format in the contract. */
const rewritten: Partial<Record<IntegrationKindName, (given: Given) => Given>> = {
  HTTP: ({ headers, timeout: _timeout, ...rest }) => ({
    ...rest,
    headers: Object.entries((headers ?? {}) as Given).map(([key, value]) => ({ key, value })),
  }),
  INFLUXDB: ({ version, precision, ...rest }) => ({
    ...rest,
    version: version === 2 ? 'INFLUXDB_2' : 'INFLUXDB_1',
    precision: (textOf(precision) || 'ns').toUpperCase(),
  }),
  GCP_PUBSUB: ({ credentialsFile, ...rest }) => ({
    ...rest,
    credentialsFile: Buffer.from(textOf(credentialsFile), 'base64').toString(),
  }),
};

const kindsWithMarshaler = new Set<IntegrationKindName>(['HTTP', 'GCP_PUBSUB', 'AWS_SNS', 'AZURE_SERVICE_BUS']);

/**
 * Undefined when the settings are not of the kind. `usualMarshaler` is the marshaler of the whole server, which applies
 * to integrations without their own: version 3 shows these as JSON, which is not what it sends.
 */
export function settingsOfKind(kind: IntegrationKindName, given: unknown, usualMarshaler: string): Given | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const names = renamed[kind] ?? {};
  const members = Object.entries(given).map(([name, value]) => [names[name] ?? name, value] as const);
  const { marshaler, ...rest } = Object.fromEntries(members) as Given;
  const written = rewritten[kind]?.(rest) ?? rest;
  if (!kindsWithMarshaler.has(kind)) return written;
  return { ...written, marshaler: (textOf(marshaler) || usualMarshaler).toUpperCase() };
}

/** Sentences about settings that are lost or change. `settingsOfKind` has found the settings readable. */
export function changedSettings(
  kind: IntegrationKindName,
  settings: unknown,
  written: readonly string[],
  fields: Readonly<Record<string, unknown>>,
): string[] {
  const given = settings as Given;
  const unknown = written.filter((name) => !Object.hasOwn(fields, name));
  const sentences = unknown.map((name) => `its setting ${name.slice(0, 50)} is unknown to Hilltop, and not imported`);
  if (kind === 'HTTP' && given['timeout'])
    sentences.push('its own time limit is not imported: all requests have the same limit');
  const { version } = given;
  if (kind === 'INFLUXDB' && version !== undefined && version !== 0 && version !== 1 && version !== 2)
    sentences.push('its version of InfluxDB is unknown to Hilltop: it becomes version 1');
  return sentences;
}
