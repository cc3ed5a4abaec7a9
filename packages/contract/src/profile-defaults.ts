/** The initial values of a new device-profile. In the recorded API users must know each number. */
import { only, organizationReaders } from './access.ts';
import { DeviceProfile } from './device-profile.ts';
import { get, ownOperationsOf } from './operation.ts';
import { int64, message, needed } from './wire.ts';

export const profileDefaults = ownOperationsOf('profileDefaults', {
  get: get('/api/network-servers/{network_server_id}/profile-defaults', {
    summary: 'Get a device-profile with the defaults of the region of a network-server; nothing is stored',
    request: message('hilltop.GetProfileDefaultsRequest', { networkServerID: int64({ required: true }) }),
    response: message('hilltop.GetProfileDefaultsResponse', { deviceProfile: needed(DeviceProfile) }),
    access: only('networkServer', 'networkServerID', organizationReaders),
  }),
});
