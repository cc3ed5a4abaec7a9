import type { AddDeviceRequest, ApplicationListItem, DeviceProfileListItem, Location } from '@hilltop/contract';
import { type DeviceLabel, type LabelText, readLabel } from '@hilltop/lorawan/tr005';
import { readLastProfile } from './last-profile.ts';

/** The value of the field "Application" for an application that does not exist yet. */
export const newApplication = 'new';

/** Tags that belong to one device: the next one has its own. */
const ownTags = ['joinEUI', 'serialNumber'];

/** Values of a new form. */
export function emptyRequest(
  organizationID: string,
  profiles: readonly DeviceProfileListItem[],
  tags: Readonly<Record<string, string>>,
): AddDeviceRequest {
  const last = readLastProfile(organizationID);
  return {
    organizationID,
    name: '',
    devEUI: '',
    deviceProfileID: profiles.some(({ id }) => id === last) ? last : usualProfile(profiles),
    nwkKey: '',
    appKey: '',
    applicationID: '',
    applicationName: '',
    tags: Object.fromEntries(Object.entries(tags).filter(([name]) => !ownTags.includes(name))),
    location: null,
  };
}

/** Preferred device-profiles: the names of the usual profiles. */
function usualProfile(profiles: readonly DeviceProfileListItem[]): string {
  const named = (pattern: RegExp) => profiles.find(({ name }) => pattern.test(name));
  return (named(/OTAA class A 1\.0\.3/i) ?? named(/OTAA/i) ?? profiles[0])?.id ?? '';
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
