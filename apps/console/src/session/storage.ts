import { themeKey } from '../theme/theme.ts';

/** What the console keeps in the browser. */
const tokenKey = 'jwt';
const organizationKey = 'organizationID';
const wantedKey = 'wanted';

export const readToken = (): string | null => localStorage.getItem(tokenKey);
export const storeToken = (token: string): void => localStorage.setItem(tokenKey, token);
/** Opening the sign-in page ends the session, and nothing else. */
export const clearToken = (): void => localStorage.removeItem(tokenKey);

export const readOrganizationID = (): string | undefined => localStorage.getItem(organizationKey) ?? undefined;
export function storeOrganizationID(organizationID: string | undefined): void {
  if (organizationID === undefined) localStorage.removeItem(organizationKey);
  else localStorage.setItem(organizationKey, organizationID);
}

/** Signing out forgets everything that belongs to the person. The colour scheme belongs to the screen and stays. */
export function clearAll(): void {
  const theme = localStorage.getItem(themeKey);
  localStorage.clear();
  sessionStorage.clear();
  if (theme !== null) localStorage.setItem(themeKey, theme);
}

/** The page somebody wanted before having to sign in. */
export const rememberWanted = (address: string): void => sessionStorage.setItem(wantedKey, address);
export const hasWanted = (): boolean => sessionStorage.getItem(wantedKey) !== null;
export function takeWanted(): string | null {
  const address = sessionStorage.getItem(wantedKey);
  sessionStorage.removeItem(wantedKey);
  return address;
}
