import { endSession } from './end-session.ts';
import { clearAll, readToken } from './storage.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Signing out, and where to go on to: the provider's page for it, or '' to stay at the sign-in page. */
    leaveFor?: string;
  }
}

/** Signs out on the way into the sign-in page; once, as the browser keeps the address in its history. */
export function leave(leaveFor: string | undefined): void {
  if (leaveFor === undefined || readToken() === null) return;
  void endSession();
  clearAll();
  if (leaveFor !== '') location.assign(leaveFor);
}
