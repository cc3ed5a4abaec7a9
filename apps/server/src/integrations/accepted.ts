import { type FieldViolation, type IntegrationKind, invalidFields, unchangedSecret } from '@hilltop/contract';
import { type SecretParts, withSecrets } from './secrets.ts';

/**
 * The configuration somebody gives, as it is to be used: secrets that stay are put in from what is stored. Throws an ApiError
 * with code 3 that names every wrong field of `integration`.
 */
export function accepted(
  kind: IntegrationKind,
  given: Readonly<Record<string, unknown>>,
  stored: SecretParts = {},
): Record<string, unknown> {
  const violations: FieldViolation[] = [];
  const complete = withSecrets(kind.config, given, (value, { key, path }) => {
    if (value !== unchangedSecret) return value;
    if (stored[key] === undefined)
      violations.push({ field: path, description: 'There is nothing stored that could stay. Enter it.' });
    return stored[key] ?? '';
  });
  const { applicationID: _, ...tidy } = kind.tidied?.(complete) ?? complete;
  if (violations.length === 0) violations.push(...(kind.problemsOf?.(tidy) ?? []));
  if (violations.length === 0) return tidy;
  throw invalidFields(violations.map((one) => ({ ...one, field: `integration.${one.field}` })));
}
