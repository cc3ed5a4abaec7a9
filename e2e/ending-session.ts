import { endingToken } from '../apps/server/src/testing/ending-token.ts';
import type { Hilltop } from './hilltop.ts';
import type { Person } from './world.ts';

/** A token of the person's session that is an hour old and ends in a moment. */
export function endingSoon({ data }: Hilltop, { token, email }: Person, inMs: number): Promise<string> {
  return endingToken(data, token, email, inMs);
}
