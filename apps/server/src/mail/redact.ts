/** Removes the URL of the mail server with its password, and control characters, from texts. */
export function createRedactor(smtpURL: string): (text: string) => string {
  const { password = '' } = URL.parse(smtpURL) ?? {};
  const plain = decoded(password);
  const words = [smtpURL, password, plain, Buffer.from(plain).toString('base64')].filter((word) => word !== '');
  return (text) => {
    let redacted = text;
    for (const word of words) redacted = redacted.replaceAll(word, '•••');
    return redacted.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ');
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
