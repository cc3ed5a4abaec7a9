import { themeKey } from '../theme/theme.ts';

/** The keys of localStorage. public/first.js also reads the token, before the first paint. */
const tokenKey = 'jwt';
const organizationKey = 'organizationID';
const dismissedKey = 'firstStepsDismissed';
const administrationClosedKey = 'administrationClosed';
const wantedKey = 'wanted';
const wantedWhyKey = 'wantedWhy';

export const readToken = (): string | null => localStorage.getItem(tokenKey);
export function storeToken(token: string): void {
  isLeft = false;
  localStorage.setItem(tokenKey, token);
}
/** Ends the session and keeps all other data; called when the sign-in page opens. */
export const clearToken = (): void => localStorage.removeItem(tokenKey);

let isLeft = false;
/** Whether the user has signed out deliberately, here or in another tab, so that sign-in does not return to a page. */
export const hasLeft = (): boolean => isLeft;

/** Reports a token that another tab has stored or, with null, removed. */
export function watchToken(watcher: (token: string | null) => void): () => void {
  const listen = ({ key }: StorageEvent) => {
    // Signing out clears the whole storage.
    if (key === null) isLeft = true;
    if (key === null || key === tokenKey) watcher(readToken());
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}

export const readOrganizationID = (): string | undefined => localStorage.getItem(organizationKey) ?? undefined;
export function storeOrganizationID(organizationID: string | undefined): void {
  if (organizationID === undefined) localStorage.removeItem(organizationKey);
  else localStorage.setItem(organizationKey, organizationID);
}

/** Whether the first steps were dismissed in this browser. */
export const isDismissed = (): boolean => localStorage.getItem(dismissedKey) !== null;
export const storeDismissed = (): void => localStorage.setItem(dismissedKey, '1');

/** Whether the group *Administration* of the navigation is open. */
export const isAdministrationOpen = (): boolean => localStorage.getItem(administrationClosedKey) === null;
export function storeAdministrationOpen(isOpen: boolean): void {
  if (isOpen) localStorage.removeItem(administrationClosedKey);
  else localStorage.setItem(administrationClosedKey, '1');
}

/** Signing out removes all data of the user. The colour scheme belongs to the browser and stays. */
export function clearAll(): void {
  isLeft = true;
  const theme = localStorage.getItem(themeKey);
  localStorage.clear();
  sessionStorage.clear();
  if (theme !== null) localStorage.setItem(themeKey, theme);
}

/** Why a user has to sign in: there was no session, or it ended, perhaps with unsaved changes. */
export type WantedWhy = 'not-signed-in' | 'ended' | 'ended-unsaved';

/** The page that was requested before sign-in. */
export function rememberWanted(address: string, why: WantedWhy): void {
  sessionStorage.setItem(wantedKey, address);
  sessionStorage.setItem(wantedWhyKey, why);
}
export const readWantedWhy = (): WantedWhy | null => sessionStorage.getItem(wantedWhyKey) as WantedWhy | null;
export function takeWanted(): string | null {
  const address = sessionStorage.getItem(wantedKey);
  sessionStorage.removeItem(wantedKey);
  sessionStorage.removeItem(wantedWhyKey);
  return address;
}
