import type { AddDeviceRequest, ApplicationListItem, DeviceProfileListItem, Location } from '@hilltop/contract';
import { type DeviceLabel, type LabelText, readLabel } from '@hilltop/lorawan/tr005';
import { readLastProfile } from './last-profile.ts';

/** The value of the field "Application" for an application that does not exist yet. */
export const newApplication = 'new';
/** The value of the field "Device-profile" for a model of the device library that has no device-profile yet. */
export const newProfile = 'new';

/** Defaults from the device that the user added before: the next one is probably of the same kind. */
export interface AddedDevice {
  tags: Readonly<Record<string, string>>;
  deviceProfileID: string;
  label: DeviceLabel | undefined;
}

/** An unregistered device, and the network-server that received its join-request. */
export interface ReceivedDevice {
  devEUI: string;
  networkServerID: string | undefined;
}

/** Tags that belong to one device: the next one has its own. */
const ownTags = ['joinEUI', 'serialNumber'];

/** Values of a new form. */
export function emptyRequest(
  organizationID: string,
  profiles: readonly DeviceProfileListItem[],
  previous: AddedDevice | undefined,
  received?: ReceivedDevice,
): AddDeviceRequest {
  const last = readLastProfile(organizationID);
  const suitable = profiles.filter(
    ({ networkServerID }) => !received?.networkServerID || networkServerID === received.networkServerID,
  );
  return {
    organizationID,
    name: received ? `device-${received.devEUI.slice(-4)}` : '',
    devEUI: received?.devEUI ?? '',
    deviceProfileID: suitable.some(({ id }) => id === last) ? last : usualProfile(suitable),
    nwkKey: '',
    appKey: '',
    applicationID: '',
    applicationName: '',
    tags: Object.fromEntries(Object.entries(previous?.tags ?? {}).filter(([name]) => !ownTags.includes(name))),
    location: null,
  };
}

/** The only device-profile, or the usual one of the standard set; otherwise the user chooses. */
function usualProfile(profiles: readonly DeviceProfileListItem[]): string {
  const standard = profiles.filter(({ name }) => name.endsWith(' OTAA class A 1.0.3'));
  const [only, ...others] = standard.length > 0 ? standard : profiles;
  return only && others.length === 0 ? only.id : '';
}

/** The requested application, or the only one; a new one if there is none. */
export function initialApplication(
  applications: readonly ApplicationListItem[],
  { application, mayMake }: { application: string; mayMake: boolean },
): Pick<AddDeviceRequest, 'applicationID' | 'applicationName'> {
  const [only, ...others] = applications;
  const applicationName = 'first-application';
  if (!only) return { applicationID: mayMake ? newApplication : '', applicationName };
  return { applicationID: application || (others.length === 0 ? only.id : ''), applicationName: '' };
}

/** What the text says about a device, or undefined. */
export function labelOf(text: string): DeviceLabel | undefined {
  const label = readLabel(text);
  return label.kind === 'device' ? label : undefined;
}

/** Why a text does not help, as a sentence, or undefined. */
export function labelProblem(text: string): string | undefined {
  const { kind }: LabelText = readLabel(text);
  if (kind === 'webAddress') {
    return "This code is for the vendor's app. Scan the square code that begins with LW:D0, or type the device EUI.";
  }
  if (kind === 'unknown' && /^(lw:d0|urn:(dev:)?lw):/i.test(text.trim()))
    return 'This code is not complete. Scan it again, or type the device EUI.';
  // A shorter text may not be complete yet.
  if (kind === 'unknown' && text.trim().length >= 16) return 'This text has no EUI: 16 hexadecimal digits.';
  return undefined;
}

/** The JoinEUI of a label; of two EUIs the one that is not the DevEUI. */
export function joinEUIOf({ joinEUI, euis }: DeviceLabel, devEUI: string): string | undefined {
  const chosen = devEUI.toLowerCase();
  if (joinEUI !== undefined || euis.length !== 2 || !euis.includes(chosen)) return joinEUI;
  return euis.find((eui) => eui !== chosen);
}

/** The device-profile whose tags name the vendor and the model of the label. */
export function profileOfLabel(
  profiles: readonly DeviceProfileListItem[],
  { vendorID, profileID }: Pick<DeviceLabel, 'vendorID' | 'profileID'>,
): DeviceProfileListItem | undefined {
  if (vendorID === undefined) return undefined;
  return profiles.find(
    (profile) => profile.vendorID?.toLowerCase() === vendorID && profile.profileID?.toLowerCase() === profileID,
  );
}

/** The device-profile that a label decides; empty when its code is unknown, undefined when it has none. */
export function decidedProfile(
  profiles: readonly DeviceProfileListItem[],
  label: DeviceLabel,
  previous: AddedDevice | undefined,
): string | undefined {
  if (label.vendorID === undefined) return undefined;
  const isLikePrevious = previous?.label?.vendorID === label.vendorID && previous.label.profileID === label.profileID;
  return profileOfLabel(profiles, label)?.id ?? (isLikePrevious ? previous.deviceProfileID : '');
}

/** The tags with what only the label knows. */
export function tagsWithLabel(
  tags: Readonly<Record<string, string>>,
  label: DeviceLabel | undefined,
  devEUI: string,
): Record<string, string> {
  const joinEUI = label && joinEUIOf(label, devEUI);
  return {
    ...tags,
    ...(joinEUI !== undefined && { joinEUI }),
    ...(label?.serialNumber !== undefined && { serialNumber: label.serialNumber }),
  };
}

/** The request of a form whose empty coordinates are texts. */
export function fromForm(request: AddDeviceRequest): AddDeviceRequest {
  const { latitude, longitude } = (request.location ?? {}) as Partial<Location>;
  const isPlaced = typeof latitude === 'number' && typeof longitude === 'number';
  const isNew = request.applicationID === newApplication;
  return {
    ...request,
    location: isPlaced ? { latitude, longitude, altitude: 0, source: 'UNKNOWN', accuracy: 0 } : null,
    ...(isNew ? { applicationID: '0' } : { applicationName: '' }),
  };
}
