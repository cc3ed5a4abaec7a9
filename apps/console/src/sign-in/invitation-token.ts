const key = 'invitation';

/**
 * The token of the invitation link. It moves from the address, where others could read it later, to this tab, where it
 * survives a sign-in.
 */
export function takeInvitationToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return sessionStorage.getItem(key) ?? '';
  keepInvitationToken(token);
  history.replaceState(history.state, '', location.pathname);
  return token;
}

export const keepInvitationToken = (token: string): void => sessionStorage.setItem(key, token);
export const dropInvitationToken = (): void => sessionStorage.removeItem(key);
