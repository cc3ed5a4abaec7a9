import { ApiError } from '../api/client.ts';

/** Whether a sign-in was refused because the user has a second factor. */
export const needsCode = (error: unknown): boolean =>
  error instanceof ApiError && error.reason === 'SECOND_FACTOR_NEEDED';
