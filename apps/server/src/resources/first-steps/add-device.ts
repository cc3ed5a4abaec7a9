import {
  type AddDeviceRequest,
  Application,
  alreadyExists,
  atField,
  complete,
  Device,
  DeviceKeys,
  notFound,
  operations,
  refusal,
  type ValueOf,
} from '@hilltop/contract';
import { changesBetween } from '../../audit/changes.ts';
import { type AuditDependencies, auditActor, writeAudit } from '../../audit/write.ts';
import { Violation } from '../../database/violation.ts';
import type { Context } from '../../http/call.ts';
import { toApiError } from '../../http/errors.ts';
import { type ApplicationRoutesDependencies, applicationRoutes } from '../application/routes.ts';
import { loadApplication } from '../application/store.ts';
import { type DeviceRoutesDependencies, deviceRoutes } from '../device/routes.ts';
import { loadProfileOf, storePosition } from '../device/store.ts';

export interface AddDeviceDependencies extends ApplicationRoutesDependencies, DeviceRoutesDependencies {
  config: ApplicationRoutesDependencies['config'] & AuditDependencies['config'];
}

/**
 * Creates a device that can join, with its keys and perhaps its application, all or nothing. Resolves with the id of
 * its application.
 */
export function addDevice(needs: AddDeviceDependencies, request: AddDeviceRequest, context: Context): Promise<string> {
  const { database } = needs;
  const { devEUI, name, deviceProfileID, nwkKey, appKey, organizationID, tags, location } = request;

  async function newApplication(): Promise<string> {
    const { network_server_id } = await loadProfileOf(database, deviceProfileID);
    const serviceProfile = await database.query
      .selectFrom('service_profile')
      .select('id')
      .where('organization_id', '=', Number(organizationID))
      .where('network_server_id', '=', network_server_id)
      .orderBy('created_at')
      .limit(1)
      .executeTakeFirst();
    if (!serviceProfile)
      throw atField('deviceProfileID', refusal('OTHER_NETWORK_SERVER', { profile: 'device-profile' }));
    const { applicationName } = request;
    const application = complete(Application, {
      organizationID,
      name: applicationName,
      description: applicationName,
      serviceProfileID: serviceProfile.id,
    });
    const { create } = applicationRoutes(needs);
    const { id } = await reportViolation(ofApplication, async () =>
      create({ application, integrationsFrom: '0' }, context),
    );
    await writeApplicationEntry(needs, { ...application, id }, context);
    return id;
  }

  /** The access check covered the organization. */
  async function ownApplication(): Promise<string> {
    const { id, organization_id } = await loadApplication(database, request.applicationID);
    if (String(organization_id) !== organizationID) throw notFound('application', request.applicationID);
    return String(id);
  }

  return database.transaction(async () => {
    const applicationID = await (request.applicationName === '' ? ownApplication() : newApplication());
    const device = complete(Device, { devEUI, name, description: name, deviceProfileID, applicationID, tags });
    await reportViolation(ofDevice, async () => deviceRoutes(needs).create({ device }, context));
    await deviceRoutes(needs).createKeys({ deviceKeys: complete(DeviceKeys, { devEUI, nwkKey, appKey }) }, context);
    if (location) await storePosition(database, devEUI, location);
    return applicationID;
  });
}

/** The entry of the call itself is about the device. */
async function writeApplicationEntry(
  needs: AddDeviceDependencies,
  application: ValueOf<typeof Application>,
  { principal, address, requestID }: Context,
): Promise<void> {
  const { id, name, organizationID } = application;
  await writeAudit(needs, {
    ...{ actor: auditActor(principal), address, requestID, operation: operations.application.create.key },
    organizationID: Number(organizationID),
    subject: { kind: 'application', id, name },
    changes: changesBetween(Application.fields, null, application),
  });
}

const ofDevice = (error: Violation) => toApiError(error, operations.device.create);
const ofApplication = ({ kind }: Violation) =>
  kind === 'unique'
    ? alreadyExists('application', { field: 'applicationName', called: 'name' })
    : refusal('REFERENCE_GONE');

/** Reports a constraint violation for the record it concerns. */
async function reportViolation<T>(toError: (error: Violation) => Error, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Violation ? toError(error) : error;
  }
}
