/**
 * Undefined for text that is not a URL, and when a password is not percent-encoded (`/`, `?`, `#` and `%` as %2F and so
 * on): a part of it would be read as the address, and shown.
 */
export function readURL(text: string): URL | undefined {
  const url = URL.parse(text);
  if (!url) return undefined;
  const isCutShort = url.username === '' && url.password === '' && text.includes('@') && !url.searchParams.has('user');
  return isCutShort || !isEscaped(url) ? undefined : url;
}

function isEscaped({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + password + pathname);
    return true;
  } catch {
    return false;
  }
}
