import type { Principal } from './principals.ts';

/** The name of a caller in stored records. */
export function nameOf(principal: Principal): string {
  if (principal === null) return '';
  return principal.kind === 'user' ? principal.email : `API key ${principal.id}`;
}

/** Identifies a caller, to share time and room among callers. */
export function callerKey(principal: Principal): string {
  return principal === null ? '' : `${principal.kind} ${principal.id}`;
}
