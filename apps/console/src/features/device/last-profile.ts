/** A key of localStorage, apart from those of the session: the sign-in does not need its code. */
const lastProfileKey = 'lastDeviceProfile';

/** The device-profile that this browser used last to add a device, by organization. */
export const readLastProfile = (organizationID: string): string =>
  localStorage.getItem(`${lastProfileKey}.${organizationID}`) ?? '';
export const storeLastProfile = (organizationID: string, deviceProfileID: string): void =>
  localStorage.setItem(`${lastProfileKey}.${organizationID}`, deviceProfileID);
