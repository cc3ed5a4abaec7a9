/** Devices and gateways as files with the columns that an import reads. */
import { deviceAdmins, every, only, organizationReaders } from './access.ts';
import { JobSelection } from './job.ts';
import { bool, int64, message, optional } from './wire.ts';

const selected = {
  organizationID: int64({ label: 'Organization', required: true }),
  selection: optional(JobSelection, { label: 'Selection', help: 'Unset: all of the organization.' }),
} as const;

const ofDeviceAdmins = (when: string) => ({
  ...({ when, on: 'organization', of: 'organizationID', allow: deviceAdmins, needsFullAccess: true } as const),
});

/** What the download `DEVICES` writes, and who may download it. */
export const deviceExport = {
  key: 'device.export',
  effect: 'read',
  request: message('hilltop.ExportDevicesRequest', {
    ...selected,
    withKeys: bool({
      label: 'With root keys',
      help: 'And the used JoinNonces and DevNonces: devices join another server.',
    }),
    withSessions: bool({ label: 'With sessions', help: 'Devices continue on another server without a join.' }),
  }),
  access: every(
    { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
    ofDeviceAdmins('withKeys'),
    ofDeviceAdmins('withSessions'),
  ),
} as const;

/** The same for gateways. */
export const gatewayExport = {
  key: 'gateway.export',
  effect: 'read',
  request: message('hilltop.ExportGatewaysRequest', selected),
  access: only('organization', 'organizationID', organizationReaders),
} as const;
