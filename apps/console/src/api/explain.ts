import { ApiError } from './client.ts';

/** An error as one line for a person: "text (code: N)" for an answer of the server, the raw message for anything else. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) return `${error.message} (code: ${error.code})`;
  return error instanceof Error ? error.message : String(error);
}
