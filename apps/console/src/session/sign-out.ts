import { endSession } from './end-session.ts';
import { clearAll, readToken } from './storage.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /**
     * Set when signing out: the address to continue with (the sign-out page of the provider), or '' to stay on the
     * sign-in page.
     */
    leaveFor?: string;
  }
}

/** Signs out when the sign-in page is entered; only once, because the browser keeps the state in its history. */
export function signOut(leaveFor: string | undefined): void {
  if (leaveFor === undefined || readToken() === null) return;
  void endSession();
  clearAll();
  if (leaveFor !== '') location.assign(leaveFor);
}
