import type { Facts, Field, Message } from '@hilltop/contract';
import type { Secrets } from '../secrets.ts';
import type { IntegrationRow } from './store.ts';

/** Secret parts of a configuration, by where they stand: `password`, `headers.x-token`. */
export type SecretParts = Readonly<Record<string, string>>;

interface SecretLocation {
  /** Stays the same while others come and go: `headers.x-token`. */
  readonly key: string;
  /** Where it stands in this request: `headers[0].value`. */
  readonly path: string;
}

type Config = Readonly<Record<string, unknown>>;

function isSecret({ secret, secretWhen }: Facts, config: Config): boolean {
  if (secretWhen === undefined) return secret === true;
  return new RegExp(secretWhen.matches, 'i').test(String(config[secretWhen.field]));
}

/** A configuration with each of its secrets changed. */
export function withSecrets(
  of: Message,
  config: Config,
  change: (value: string, place: SecretLocation) => string,
): Record<string, unknown> {
  const changed = ([name, value]: [string, unknown]): [string, unknown] => {
    const field = of.fields[name];
    if (field?.of?.message && Array.isArray(value)) return [name, items(name, field, value as Config[], change)];
    if (!field || typeof value !== 'string' || !isSecret(field.facts, config)) return [name, value];
    return [name, change(value, { key: name, path: name })];
  };
  return Object.fromEntries(Object.entries(config).map(changed));
}

/** Items are known by what makes them secret, such as the name of a header. */
function items(
  list: string,
  { of }: Field,
  values: Config[],
  change: (value: string, place: SecretLocation) => string,
) {
  const item = of!.message!;
  const namedBy = Object.values(item.fields).find(({ facts }) => facts.secretWhen)?.facts.secretWhen?.field;
  return values.map((value, index) => {
    const key = `${list}.${String(value[namedBy ?? '']).toLowerCase()}`;
    return withSecrets(item, value, (text, { path }) => change(text, { key, path: `${list}[${index}].${path}` }));
  });
}

/** Takes the secrets out: what is left may be stored and shown. */
export function splitSecrets(of: Message, config: Config): { config: Record<string, unknown>; parts: SecretParts } {
  const parts: Record<string, string> = {};
  const without = withSecrets(of, config, (value, { key }) => {
    if (value !== '') parts[key] = value;
    return '';
  });
  return { config: without, parts };
}

/** The reverse. */
export function joinSecrets(of: Message, config: Config, parts: SecretParts): Record<string, unknown> {
  return withSecrets(of, config, (_, { key }) => parts[key] ?? '');
}

/** What belongs to an integration and is no part of what people fill in: an update leaves it as it is. */
export function signingSecretIn({ signingSecret }: SecretParts): SecretParts {
  return signingSecret === undefined ? {} : { signingSecret };
}

/** What the secrets of the row with this id are sealed for. */
export const secretsPurpose = (id: number) => `integration:${id}`;

/** As they are sealed; no bytes when there are none. */
export function encodeSecrets(parts: SecretParts): Uint8Array {
  return Object.keys(parts).length === 0 ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(parts));
}

/** Sealed for the row with this id. */
export function sealSecrets(secrets: Secrets, id: number, parts: SecretParts): Uint8Array {
  return secrets.seal(encodeSecrets(parts), secretsPurpose(id));
}

export function openSecrets(secrets: Secrets, row: Pick<IntegrationRow, 'id' | 'secrets'>): SecretParts {
  const plain = secrets.open(row.secrets, secretsPurpose(row.id));
  return plain.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(plain)) as SecretParts);
}
