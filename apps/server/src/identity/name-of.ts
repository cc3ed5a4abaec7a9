import type { Principal } from './principals.ts';

/** The name of a caller in stored records. */
export function nameOf(principal: Principal): string {
  if (principal === null) return '';
  return principal.kind === 'user' ? principal.email : `API key ${principal.id}`;
}
