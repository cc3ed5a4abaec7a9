import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import type { AMQPConfig } from './amqp.ts';
import type { Marshaler } from './marshal.ts';
import type { PostgreSQLConfig } from './postgresql.ts';
import { openSecrets, sealSecrets } from './secrets.ts';
import type { IntegrationSettings } from './settings.ts';
import { deleteIntegration, insertIntegration, ownerIn, readIntegrations, updateIntegration } from './store.ts';

/** The configuration of each kind of global integration. */
export interface InstallationConfigs {
  AMQP: AMQPConfig;
  POSTGRESQL: PostgreSQLConfig;
  /** An external broker. Its other settings belong to `mqtt/`. */
  MQTT: { url: string };
}

export type InstallationKindName = keyof InstallationConfigs;

export const marshalers: Record<IntegrationSettings['integrationMarshaler'], Marshaler> = {
  json_v3: 'JSON_V3',
  json: 'JSON',
  protobuf: 'PROTOBUF',
};

/** The settings of global integrations; '' for an integration that is not used. */
type InstallationSettings = IntegrationSettings & { mqttURL: string };

/**
 * Reads each configuration from the settings; undefined: not used. URLs contain passwords and are stored as secrets.
 */
const configReaders: {
  [Kind in InstallationKindName]: (settings: InstallationSettings) => InstallationConfigs[Kind] | undefined;
} = {
  AMQP: ({ amqpURL: url, amqpRoutingKey: routingKey, integrationMarshaler }) =>
    url === '' ? undefined : { url, routingKey, marshaler: marshalers[integrationMarshaler] },
  POSTGRESQL: ({ eventsPostgresURL: url, integrationMarshaler }) =>
    url === '' ? undefined : { url, marshaler: marshalers[integrationMarshaler] },
  MQTT: ({ mqttURL: url }) => (url === '' ? undefined : { url }),
};

/**
 * Creates, updates and deletes the global integrations according to the settings. An unchanged one keeps its cursor.
 */
export async function registerInstallation({
  config,
  database,
  secrets,
  clock,
}: {
  config: InstallationSettings;
  database: Database;
  secrets: Secrets;
  clock: Clock;
}): Promise<void> {
  const now = clock.now();
  await database.transaction(async () => {
    const rows = (await readIntegrations(database)).filter((row) => ownerIn(row) === undefined);
    for (const kind of Object.keys(configReaders) as InstallationKindName[]) {
      const row = rows.find((stored) => stored.kind === kind);
      const configured = configReaders[kind](config);
      if (!configured) {
        if (row) await deleteIntegration(database, row.id);
        continue;
      }
      const { url, ...open } = configured;
      if (row && openSecrets(secrets, row)['url'] === url && isSame(row.config, open)) continue;
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
        secrets: sealSecrets(secrets, id, { url }),
        updated_at: now,
      });
    }
  });
}

function isSame(stored: Readonly<Record<string, unknown>>, config: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(config).every((name) => stored[name] === config[name]);
}
