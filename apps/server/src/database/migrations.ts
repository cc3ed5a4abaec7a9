import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Engine } from './database.ts';
import type { Migration } from './migration.ts';
import { user } from './migrations/0001-user.ts';
import { organization } from './migrations/0002-organization.ts';
import { networkServer } from './migrations/0003-network-server.ts';
import { serviceProfile } from './migrations/0004-service-profile.ts';
import { deviceProfile } from './migrations/0005-device-profile.ts';
import { application } from './migrations/0006-application.ts';
import { apiKey } from './migrations/0007-api-key.ts';
import { keyCheck } from './migrations/0008-key-check.ts';
import { networkState } from './migrations/0020-network-state.ts';
import { gateway } from './migrations/0021-gateway.ts';
import { device } from './migrations/0022-device.ts';
import { metric } from './migrations/0023-metric.ts';
import { installation } from './migrations/0030-installation.ts';
import { usedSignOn } from './migrations/0031-used-sign-on.ts';
import { search } from './migrations/0040-search.ts';
import { order } from './migrations/0041-order.ts';
import { foldedError } from './migrations/0042-folded-error.ts';
import { retention } from './migrations/0043-retention.ts';
import { sessionUse } from './migrations/0044-session-use.ts';
import { apiKeyExpiry } from './migrations/0045-api-key-expiry.ts';
import { event } from './migrations/0050-event.ts';
import { integration } from './migrations/0051-integration.ts';
import { delivery } from './migrations/0052-delivery.ts';
import { certificate } from './migrations/0053-certificate.ts';
import { loracloudFrames } from './migrations/0054-loracloud-frames.ts';
import { dueWork } from './migrations/0055-due-work.ts';
import { multicastGroup } from './migrations/0056-multicast-group.ts';
import { radio } from './migrations/0058-radio.ts';
import { eventChain } from './migrations/0059-event-chain.ts';
import { gatewayDiscovery } from './migrations/0060-gateway-discovery.ts';
import { gatewayCertificate } from './migrations/0061-gateway-certificate.ts';
import { certificateUse } from './migrations/0071-certificate-use.ts';

/** In order; a step that has run anywhere is never changed again. */
const migrations: Record<string, Migration> = {
  '0001-user': user,
  '0002-organization': organization,
  '0003-network-server': networkServer,
  '0004-service-profile': serviceProfile,
  '0005-device-profile': deviceProfile,
  '0006-application': application,
  '0007-api-key': apiKey,
  '0008-key-check': keyCheck,
  '0020-network-state': networkState,
  '0021-gateway': gateway,
  '0022-device': device,
  '0023-metric': metric,
  '0030-installation': installation,
  '0031-used-sign-on': usedSignOn,
  '0040-search': search,
  '0041-order': order,
  '0042-folded-error': foldedError,
  '0043-retention': retention,
  '0044-session-use': sessionUse,
  '0045-api-key-expiry': apiKeyExpiry,
  '0050-event': event,
  '0051-integration': integration,
  '0052-delivery': delivery,
  '0053-certificate': certificate,
  '0054-loracloud-frames': loracloudFrames,
  '0055-due-work': dueWork,
  '0056-multicast-group': multicastGroup,
  '0058-radio': radio,
  '0059-event-chain': eventChain,
  '0060-gateway-discovery': gatewayDiscovery,
  '0061-gateway-certificate': gatewayCertificate,
  '0071-certificate-use': certificateUse,
};

/** Whether no version has ever written into it. */
export async function isEmpty({ kysely }: Engine): Promise<boolean> {
  const tables = await kysely.introspection.getTables({ withInternalKyselyTables: true });
  return !tables.some(({ name }) => name === 'kysely_migration');
}

/** Brings the schema up to this version; each step is done whole or not at all. A newer database is refused. */
export async function migrate({ kind, kysely }: Engine): Promise<void> {
  const provided = Object.fromEntries(
    Object.entries(migrations).map(([name, up]) => [name, { up: (db: Kysely<unknown>) => up(db, kind) }]),
  );
  const migrator = new Migrator({
    db: kysely,
    provider: { getMigrations: async () => provided },
    allowUnorderedMigrations: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message))
    throw new Error('a newer version of Hilltop has written it', { cause: error });
  if (error) throw error;
}
