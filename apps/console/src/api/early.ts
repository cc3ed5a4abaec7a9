/** What `public/first.js` asked in the name of whoever has this token, before the scripts were here. */
interface Early {
  readonly bearer: string;
  readonly answers: Map<unknown, Promise<Response>>;
}

/** An answer that is on its way since before the scripts came; once, and only for who asked. */
export function takeEarly(address: RequestInfo | URL, headers: Headers): Promise<Response> | undefined {
  const { early } = globalThis as { early?: Early };
  if (early?.bearer !== headers.get('Grpc-Metadata-Authorization')) return undefined;
  const answer = early?.answers.get(address);
  early?.answers.delete(address);
  return answer;
}
