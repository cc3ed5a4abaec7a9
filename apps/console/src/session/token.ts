/** The hours of a token, as milliseconds since 1970. */
export interface TokenTimes {
  from: number;
  until: number;
}

/** When a token is good, as it says itself; undefined when it says nothing one can read. Only the server knows for sure. */
export function timesOf(token: string | null): TokenTimes | undefined {
  try {
    const body = (token ?? '').split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const { nbf, exp } = JSON.parse(atob(body)) as { nbf?: unknown; exp?: unknown };
    if (typeof nbf !== 'number' || typeof exp !== 'number') return undefined;
    return { from: nbf * 1000, until: exp * 1000 };
  } catch {
    return undefined;
  }
}
