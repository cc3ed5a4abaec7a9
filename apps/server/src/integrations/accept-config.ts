import {
  type FieldViolation,
  type IntegrationKind,
  invalidFields,
  serversIn,
  unchangedSecret,
} from '@hilltop/contract';
import { type SecretParts, withSecrets } from './secrets.ts';

type Config = Readonly<Record<string, unknown>>;

/** The configuration before an update. */
interface Stored {
  config: Config;
  parts: SecretParts;
}

const nothingStored: Stored = { config: {}, parts: {} };

/**
 * The configuration of a request, ready for use: placeholders of unchanged secrets are replaced by the stored secrets,
 * except when a secret would be sent to another server than before. Throws an ApiError with code 3 that names every wrong
 * field of `integration`.
 */
export function acceptConfig(kind: IntegrationKind, given: Config, stored = nothingStored): Record<string, unknown> {
  const violations: FieldViolation[] = [];
  const hasNewServer = !serversIn(kind.config, given).isSubsetOf(serversIn(kind.config, stored.config));
  const complete = withSecrets(kind.config, given, (value, { key, path }) => {
    if (value !== unchangedSecret) return value;
    const storedSecret = stored.parts[key];
    if (storedSecret === undefined)
      violations.push({ field: path, description: 'There is nothing stored that could stay. Enter it.' });
    else if (hasNewServer)
      violations.push({ field: path, description: 'What is stored does not go to another server. Enter it again.' });
    return storedSecret ?? '';
  });
  const { applicationID: _, organizationID: __, ...tidy } = kind.tidied?.(complete) ?? complete;
  if (violations.length === 0) violations.push(...(kind.problemsOf?.(tidy) ?? []));
  if (violations.length === 0) return tidy;
  throw invalidFields(violations.map(({ field, ...violation }) => ({ ...violation, field: `integration.${field}` })));
}
