import type { FieldViolation } from '../errors.ts';
import type { Facts, Message } from '../wire.ts';

const address = 'https?:\\/\\/[^\\s,\\/?#@\\\\]+([\\/?#][^\\s,]*)?';

export const oneURL = {
  maxLength: 1000,
  pattern: `^${address}$`,
  message: 'This is not an address such as https://example.com/events. User names and passwords do not belong into it.',
} as const satisfies Facts;

/** Spaces around the commas are ignored. */
export const severalURLs = {
  maxLength: 4000,
  pattern: `^\\s*${address}(\\s*,\\s*${address})*\\s*$`,
  message:
    'These are not addresses such as https://example.com/events, separated by commas. User names and passwords do not belong into them.',
} as const satisfies Facts;

export function urlsIn(text: string): string[] {
  return text.replaceAll(/\s/g, '').split(',').filter(Boolean);
}

/** The server of a URL whose path can be a secret, such as `https://example.com:8443`. */
export const shownURL = (url: string): string => URL.parse(url)?.origin ?? '';

/** Problems that only parsing reveals, such as the port 70000. */
export function unreadableURLs<Name extends string>(
  config: Readonly<Record<Name, string>>,
  names: readonly Name[],
): FieldViolation[] {
  return names.flatMap((field) => {
    const wrong = urlsIn(config[field]).find((one) => !URL.canParse(one));
    return wrong === undefined ? [] : [{ field, description: 'This address is invalid: check its host and port.' }];
  });
}

/**
 * The servers, such as `https://example.com:8443`, of all addresses in a configuration. Invalid addresses are skipped.
 */
export function serversIn({ fields }: Message, config: Readonly<Record<string, unknown>>): Set<string> {
  const patterns: readonly unknown[] = [oneURL.pattern, severalURLs.pattern];
  const addresses = Object.entries(config).flatMap(([name, value]) =>
    typeof value === 'string' && patterns.includes(fields[name]?.facts.pattern) ? urlsIn(value) : [],
  );
  return new Set(addresses.map(shownURL).filter(Boolean));
}
