import {
  type FieldViolation,
  type IntegrationKind,
  invalidFields,
  serversIn,
  unchangedSecret,
} from '@hilltop/contract';
import { type SecretParts, withSecrets } from './secrets.ts';

type Config = Readonly<Record<string, unknown>>;

/** What there is already. */
interface Stored {
  config: Config;
  parts: SecretParts;
}

const nothingStored: Stored = { config: {}, parts: {} };

/**
 * The configuration somebody gives, as it is to be used: secrets that stay are put in from what is stored, unless they would
 * go to a server that has not had them. Throws an ApiError with code 3 that names every wrong field of `integration`.
 */
export function acceptConfig(kind: IntegrationKind, given: Config, stored = nothingStored): Record<string, unknown> {
  const violations: FieldViolation[] = [];
  const goesElsewhere = !serversIn(kind.config, given).isSubsetOf(serversIn(kind.config, stored.config));
  const complete = withSecrets(kind.config, given, (value, { key, path }) => {
    if (value !== unchangedSecret) return value;
    const known = stored.parts[key];
    if (known === undefined)
      violations.push({ field: path, description: 'There is nothing stored that could stay. Enter it.' });
    else if (goesElsewhere)
      violations.push({ field: path, description: 'What is stored does not go to another server. Enter it again.' });
    return known ?? '';
  });
  const { applicationID: _, ...tidy } = kind.tidied?.(complete) ?? complete;
  if (violations.length === 0) violations.push(...(kind.problemsOf?.(tidy) ?? []));
  if (violations.length === 0) return tidy;
  throw invalidFields(violations.map((one) => ({ ...one, field: `integration.${one.field}` })));
}
