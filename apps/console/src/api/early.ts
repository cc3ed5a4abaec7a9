/** The requests that `public/first.js` sent with the stored token before the scripts were loaded. */
interface Early {
  readonly bearer: string;
  readonly answers: Map<unknown, Promise<Response>>;
}

/** Returns the pending early response for a path, once and only for the token that requested it. */
export function takeEarly(address: RequestInfo | URL, headers: Headers): Promise<Response> | undefined {
  const { early } = globalThis as { early?: Early };
  if (early?.bearer !== headers.get('Grpc-Metadata-Authorization')) return undefined;
  const answer = early?.answers.get(address);
  early?.answers.delete(address);
  return answer;
}
