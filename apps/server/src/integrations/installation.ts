import type { Needs } from '../needs.ts';
import type { AMQPConfig } from './amqp.ts';
import type { Marshaler } from './marshal/marshal.ts';
import type { PostgreSQLConfig } from './postgresql.ts';
import { openParts, sealParts } from './secrets.ts';
import type { IntegrationSettings } from './settings.ts';
import { deleteIntegration, insertIntegration, readIntegrations, updateIntegration } from './store.ts';

/** What each kind of the whole installation is configured with. */
export interface InstallationConfigs {
  AMQP: AMQPConfig;
  POSTGRESQL: PostgreSQLConfig;
  /** A broker elsewhere; what it needs besides is among the settings. */
  MQTT: { url: string };
}

export type InstallationKindName = keyof InstallationConfigs;

export const marshalers: Record<IntegrationSettings['integrationMarshaler'], Marshaler> = {
  json_v3: 'JSON_V3',
  json: 'JSON',
  protobuf: 'PROTOBUF',
};

/** What the settings say of each; undefined when there is none. URLs hold passwords. */
const wanted: {
  [Kind in InstallationKindName]: (
    config: IntegrationSettings & { mqttURL: string },
  ) => InstallationConfigs[Kind] | undefined;
} = {
  AMQP: ({ amqpURL: url, amqpRoutingKey: routingKey, integrationMarshaler }) =>
    url === '' ? undefined : { url, routingKey, marshaler: marshalers[integrationMarshaler] },
  POSTGRESQL: ({ eventsPostgresURL: url, integrationMarshaler }) =>
    url === '' ? undefined : { url, marshaler: marshalers[integrationMarshaler] },
  MQTT: ({ mqttURL: url }) => (url === '' ? undefined : { url }),
};

/** Makes the integrations of the whole installation what the settings say; those that stay go on where they stopped. */
export async function registerInstallation({
  config,
  database,
  secrets,
  clock,
}: Pick<Needs, 'config' | 'database' | 'secrets' | 'clock'>): Promise<void> {
  const now = clock.now();
  await database.transaction(async () => {
    const rows = (await readIntegrations(database)).filter(({ application_id }) => application_id === null);
    for (const kind of Object.keys(wanted) as InstallationKindName[]) {
      const row = rows.find((one) => one.kind === kind);
      const configured = wanted[kind](config);
      if (!configured) {
        if (row) await deleteIntegration(database, row.id);
        continue;
      }
      const { url, ...open } = configured;
      if (row && openParts(secrets, row)['url'] === url && isSame(row.config, open)) continue;
      const id =
        row?.id ??
        (await insertIntegration(database, {
          application_id: null,
          kind,
          config: {},
          secrets: new Uint8Array(),
          created_at: now,
          updated_at: now,
        }));
      await updateIntegration(database, id, {
        config: open,
        secrets: sealParts(secrets, id, { url }),
        updated_at: now,
      });
    }
  });
}

function isSame(stored: Readonly<Record<string, unknown>>, config: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(config).every((name) => stored[name] === config[name]);
}
