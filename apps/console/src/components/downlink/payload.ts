/** The problem of a base64 payload, or null. */
export function base64Problem(data: string): string | null {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data.trim());
  return isBase64 ? null : 'Enter valid base64: four characters for three bytes, padded with =.';
}
