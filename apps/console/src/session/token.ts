/** The validity of a token, in milliseconds since 1970. */
export interface TokenTimes {
  from: number;
  until: number;
}

/** The validity that a token states; undefined when it is unreadable. Only the server knows for certain. */
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
