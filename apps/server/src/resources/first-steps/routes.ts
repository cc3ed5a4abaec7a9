import { complete, DeviceProfile, type Operations, Organization } from '@hilltop/contract';
import { region } from '@hilltop/lorawan';
import type { Log } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { EventLog } from '../../event-log/event-log.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { regionOf } from '../../network/embedded-address.ts';
import { deviceProfileRoutes } from '../device-profile/routes.ts';
import { firstOrganization } from '../organization/first-organization.ts';
import { organizationRoutes } from '../organization/routes.ts';
import { loadOrganization } from '../organization/store.ts';
import { serviceProfileRoutes } from '../service-profile/routes.ts';
import { type AddDeviceDependencies, addDevice } from './add-device.ts';
import { usualSet } from './default-profiles.ts';
import { stepsOf } from './steps.ts';

const none = {
  canHaveGateways: true,
  hasProfiles: false,
  hasGateway: false,
  hasApplication: false,
  hasDevice: false,
  hasValue: false,
};

interface FirstStepsRoutesDependencies extends AddDeviceDependencies {
  eventLog: EventLog;
  log: Log;
}

/** The steps from an empty installation to the first decoded value. */
export function firstStepsRoutes(needs: FirstStepsRoutesDependencies): Handlers<Operations['firstSteps']> {
  const { database } = needs;

  return {
    get: async ({ organizationID }) => {
      const canMakeProfiles = (await embeddedOnes(database)).length > 0;
      const id = await organizationOf(database, organizationID);
      if (id === undefined) return { organizationID: '0', canMakeProfiles, ...none };
      return { organizationID: String(id), canMakeProfiles, ...(await stepsOf(needs, id)) };
    },

    makeProfiles: (request, caller) =>
      database.transaction(async () => {
        const known = await organizationOf(database, request.organizationID);
        const organizationID =
          known === undefined
            ? (
                await organizationRoutes(needs).create(
                  { organization: complete(Organization, firstOrganization) },
                  caller,
                )
              ).id
            : String(known);
        await holdOrganization(database, organizationID);
        const made = { organizationID, serviceProfiles: 0, deviceProfiles: 0 };
        for (const networkServer of await embeddedOnes(database)) {
          const { serviceProfile, deviceProfiles } = usualSet(networkServer, networkServer.band);
          const at = [Number(organizationID), networkServer.id] as const;
          if ((await namesAt(database, 'service_profile', ...at)).size === 0) {
            await serviceProfileRoutes(needs).create({ serviceProfile: { ...serviceProfile, organizationID } }, caller);
            made.serviceProfiles += 1;
          }
          const existingNames = await namesAt(database, 'device_profile', ...at);
          for (const profile of deviceProfiles.filter(({ name }) => !existingNames.has(name))) {
            const deviceProfile = complete(DeviceProfile, { ...profile, organizationID });
            await deviceProfileRoutes(needs).create({ deviceProfile }, caller);
            made.deviceProfiles += 1;
          }
        }
        return made;
      }),

    addDevice: async (request, caller) => ({ applicationID: await addDevice(needs, request, caller) }),
  };
}

/** The requested organization, or else the oldest one. */
async function organizationOf(database: Database, asked: string): Promise<number | undefined> {
  if (toFilterID(asked) !== undefined) return (await loadOrganization(database, asked)).id;
  const first = await database.query.selectFrom('organization').select('id').orderBy('id').limit(1).executeTakeFirst();
  return first?.id;
}

async function embeddedOnes(database: Database) {
  const rows = await database.query
    .selectFrom('network_server')
    .select(['id', 'name', 'server'])
    .orderBy('id')
    .execute();
  return rows.flatMap((row) => {
    const name = regionOf(row);
    return name === undefined ? [] : [{ ...row, band: region(name) }];
  });
}

/** Locks the organization: of two simultaneous calls the second finds the set of the first. */
async function holdOrganization(database: Database, organizationID: string): Promise<void> {
  if (database.kind !== 'postgres') return;
  const organization = database.query.selectFrom('organization').select('id').where('id', '=', Number(organizationID));
  await organization.forNoKeyUpdate().execute();
}

async function namesAt(
  database: Database,
  table: 'service_profile' | 'device_profile',
  organizationID: number,
  networkServerID: number,
): Promise<ReadonlySet<string>> {
  const rows = await database.query
    .selectFrom(table)
    .select('name')
    .where('organization_id', '=', organizationID)
    .where('network_server_id', '=', networkServerID)
    .execute();
  return new Set(rows.map(({ name }) => name));
}
