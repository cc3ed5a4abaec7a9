import { themeKey } from '../theme/theme.ts';

/** What the console keeps in the browser. The token is also looked for by public/first.js, before anything is drawn. */
const tokenKey = 'jwt';
const organizationKey = 'organizationID';
const dismissedKey = 'firstStepsDismissed';
const wantedKey = 'wanted';
const wantedWhyKey = 'wantedWhy';

export const readToken = (): string | null => localStorage.getItem(tokenKey);
export function storeToken(token: string): void {
  isLeft = false;
  localStorage.setItem(tokenKey, token);
}
/** Opening the sign-in page ends the session, and nothing else. */
export const clearToken = (): void => localStorage.removeItem(tokenKey);

let isLeft = false;
/** Whether the person has signed out on purpose, here or in another tab, so that no page waits for them. */
export const hasLeft = (): boolean => isLeft;

/** Tells of a token that another tab has stored or, with null, removed. */
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

/** Whether the first steps were waved away in this browser. */
export const isDismissed = (): boolean => localStorage.getItem(dismissedKey) !== null;
export const storeDismissed = (): void => localStorage.setItem(dismissedKey, '1');

/** Signing out forgets everything that belongs to the person. The colour scheme belongs to the screen and stays. */
export function clearAll(): void {
  isLeft = true;
  const theme = localStorage.getItem(themeKey);
  localStorage.clear();
  sessionStorage.clear();
  if (theme !== null) localStorage.setItem(themeKey, theme);
}

/** Why somebody has to sign in before going on: nobody was, or the session ended, perhaps over unsaved changes. */
export type WantedWhy = 'not-signed-in' | 'ended' | 'ended-unsaved';

/** The page somebody wanted before having to sign in. */
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
