import type { Principal } from './principals.ts';

/** How records name who made a call. */
export function nameOf(principal: Principal): string {
  if (principal === null) return '';
  return principal.kind === 'user' ? principal.email : `API key ${principal.id}`;
}
