import type { FirstSteps } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { EventLog } from '../../event-log/event-log.ts';

/** The most recently seen devices that are checked for a value. */
const asked = 20;

/** Which of the first steps an organization has done. */
export async function stepsOf(
  { database, eventLog }: { database: Database; eventLog: EventLog },
  organizationID: number,
): Promise<Omit<FirstSteps, 'organizationID' | 'canMakeProfiles'>> {
  const { query } = database;
  const own = (table: 'service_profile' | 'device_profile' | 'gateway' | 'application') =>
    query.selectFrom(table).select('name').where('organization_id', '=', organizationID).limit(1);
  const devices = query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .where('application.organization_id', '=', organizationID)
    .select(['device.dev_eui', 'device.application_id']);

  const [organization, serviceProfile, deviceProfile, gateway, application, device, received] = await Promise.all([
    query.selectFrom('organization').select('can_have_gateways').where('id', '=', organizationID).executeTakeFirst(),
    own('service_profile').executeTakeFirst(),
    own('device_profile').executeTakeFirst(),
    own('gateway').where('gateway.last_seen_at', 'is not', null).executeTakeFirst(),
    own('application').executeTakeFirst(),
    devices.limit(1).executeTakeFirst(),
    devices.where('device.last_seen_at', 'is not', null).orderBy('device.last_seen_at', 'desc').limit(asked).execute(),
  ]);
  return {
    canHaveGateways: Boolean(organization?.can_have_gateways),
    hasProfiles: serviceProfile !== undefined && deviceProfile !== undefined,
    hasGateway: gateway !== undefined,
    hasApplication: application !== undefined,
    hasDevice: device !== undefined,
    hasValue: await isDecoded(eventLog, received),
  };
}

async function isDecoded(
  eventLog: EventLog,
  devices: readonly { dev_eui: string; application_id: number }[],
): Promise<boolean> {
  for (const { dev_eui: devEUI, application_id } of devices) {
    const last = await eventLog.newest(application_id, { type: 'up', devEUI });
    if (last && (JSON.parse(last.json) as { objectJSON?: string }).objectJSON) return true;
  }
  return false;
}
