import type { GlobalSearchResult } from '@hilltop/contract';
import { paths } from '../../paths.ts';

export interface Target {
  to: string;
  name: string;
  id: string;
}

/** The address, name and identifier of a search result. */
export function targetOf(found: GlobalSearchResult): Target {
  const { organizationID, applicationID, deviceDevEUI, gatewayMAC } = found;
  if (found.kind === 'device')
    return {
      to: paths.device.one(organizationID, applicationID, deviceDevEUI),
      name: found.deviceName,
      id: deviceDevEUI,
    };
  if (found.kind === 'gateway')
    return { to: paths.gateway.one(organizationID, gatewayMAC), name: found.gatewayName, id: gatewayMAC };
  if (found.kind === 'application')
    return { to: paths.application.one(organizationID, applicationID), name: found.applicationName, id: applicationID };
  return { to: paths.organization.one(organizationID), name: found.organizationName, id: organizationID };
}
