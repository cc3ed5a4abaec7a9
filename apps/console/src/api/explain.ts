import { ApiError } from './client.ts';

/** An error as one line for the user: "text (code: N)" for a response of the server, the raw message otherwise. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} (code: ${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
