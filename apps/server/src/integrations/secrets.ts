import type { Facts, Field, Message } from '@hilltop/contract';
import type { Secrets } from '../secrets.ts';
import type { IntegrationRow } from './store.ts';

/** Secrets of a configuration, by their key: `password`, `headers.x-token`. */
export type SecretParts = Readonly<Record<string, string>>;

interface SecretLocation {
  /** The key of the secret, independent of the order of a list: `headers.x-token`. */
  readonly key: string;
  /** The field in this request: `headers[0].value`. */
  readonly path: string;
}

type Config = Readonly<Record<string, unknown>>;

function isSecret({ secret, secretWhen }: Facts, config: Config): boolean {
  if (secretWhen === undefined) return secret === true;
  return new RegExp(secretWhen.matches, 'i').test(String(config[secretWhen.field]));
}

/** A copy of a configuration with `change` applied to each secret. */
export function withSecrets(
  message: Message,
  config: Config,
  change: (value: string, location: SecretLocation) => string,
): Record<string, unknown> {
  const changed = ([name, value]: [string, unknown]): [string, unknown] => {
    const field = message.fields[name];
    if (field?.of?.message && Array.isArray(value)) return [name, changeItems(name, field, value as Config[], change)];
    if (!field || typeof value !== 'string' || !isSecret(field.facts, config)) return [name, value];
    return [name, change(value, { key: name, path: name })];
  };
  return Object.fromEntries(Object.entries(config).map(changed));
}

/** The key of an item is the value that makes it secret, such as the name of a header. */
function changeItems(
  list: string,
  { of }: Field,
  values: Config[],
  change: (value: string, location: SecretLocation) => string,
) {
  const item = of!.message!;
  const nameField = Object.values(item.fields).find(({ facts }) => facts.secretWhen)?.facts.secretWhen?.field;
  return values.map((value, index) => {
    const key = `${list}.${String(value[nameField ?? '']).toLowerCase()}`;
    return withSecrets(item, value, (text, { path }) => change(text, { key, path: `${list}[${index}].${path}` }));
  });
}

/** Separates the secrets of a configuration from the part that may be stored in clear text and shown. */
export function splitSecrets(
  message: Message,
  config: Config,
): { config: Record<string, unknown>; parts: SecretParts } {
  const parts: Record<string, string> = {};
  const withoutSecrets = withSecrets(message, config, (value, { key }) => {
    if (value !== '') parts[key] = value;
    return '';
  });
  return { config: withoutSecrets, parts };
}

/** Combines what `splitSecrets` has separated. */
export function joinSecrets(message: Message, config: Config, parts: SecretParts): Record<string, unknown> {
  return withSecrets(message, config, (_, { key }) => parts[key] ?? '');
}

/** The signing secret, which is not part of the configuration: updates keep it. */
export function signingSecretIn({ signingSecret }: SecretParts): SecretParts {
  return signingSecret === undefined ? {} : { signingSecret };
}

/** Binds sealed secrets to the row of an integration. */
export const secretsPurpose = (id: number) => `integration:${id}`;

/** The plain text to seal; empty without secrets. */
export function encodeSecrets(parts: SecretParts): Uint8Array {
  return Object.keys(parts).length === 0 ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(parts));
}

/** Seals secrets for the row of an integration. */
export function sealSecrets(secrets: Secrets, id: number, parts: SecretParts): Uint8Array {
  return secrets.seal(encodeSecrets(parts), secretsPurpose(id));
}

export function openSecrets(secrets: Secrets, row: Pick<IntegrationRow, 'id' | 'secrets'>): SecretParts {
  const plain = secrets.open(row.secrets, secretsPurpose(row.id));
  return plain.length === 0 ? {} : (JSON.parse(new TextDecoder().decode(plain)) as SecretParts);
}
