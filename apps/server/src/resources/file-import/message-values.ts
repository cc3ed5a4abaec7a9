import { ApiError, type Field, type Location, type Message, parseMessage, type ValueOf } from '@hilltop/contract';
import { type RowProblem, splitMapField } from './plan.ts';
import type { RowValues } from './values.ts';

/** The value of a cell for a field of this kind. The contract checks it afterwards. */
export function typedValue({ kind }: Field, text: string): unknown {
  return kind === 'bool' ? text === 'true' : text;
}

/** The entries of a map with those of `tag.*` or `var.*`, and without the removed ones. */
export function entriesOf(
  values: RowValues,
  map: string,
  { before = {}, removed }: { before: Readonly<Record<string, string>> | undefined; removed: ReadonlySet<string> },
): Record<string, string> {
  const kept = Object.entries(before).filter(([name]) => !removed.has(`${map}.${name}`));
  const given = [...values].map(([field, text]) => [splitMapField(field), text] as const);
  const own = given
    .filter(([[of, name]]) => of === map && name !== '')
    .map(([[, name], text]) => [name, text] as const);
  return Object.fromEntries([...kept, ...own]);
}

/** Whether the row says that the record has no position. */
export const removesPosition = (removed: ReadonlySet<string>): boolean =>
  removed.has('latitude') && removed.has('longitude');

/** The fields of a message that the row has, by their names. */
export function givenValues(of: Message, values: RowValues, names: readonly string[]): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of names) {
    const text = values.get(name);
    if (text !== undefined) given[name] = typedValue(of.fields[name]!, text);
  }
  return given;
}

/** Reads a message, and reports what the contract refuses. */
export function readMessage<M extends Message>(of: M, given: object, problems: RowProblem[]): ValueOf<M> | undefined {
  try {
    return parseMessage(of, given);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const known = new Set(problems.map(({ field }) => field));
    const found = problemsOf(error);
    problems.push(...found.filter(({ field }) => !known.has(field)));
    return undefined;
  }
}

/** The refusal of an operation as problems of columns. */
export function problemsOf(error: ApiError): RowProblem[] {
  if (error.fieldViolations.length === 0) return [{ field: '', text: error.message }];
  return error.fieldViolations.map(({ field, description }) => ({ field: columnField(field), text: description }));
}

const columnNames: Readonly<Record<string, string>> = {
  applicationID: 'application',
  deviceProfileID: 'deviceProfile',
  networkServerID: 'networkServer',
  gatewayProfileID: 'gatewayProfile',
  serviceProfileID: 'serviceProfile',
};
const mapPaths: readonly (readonly [RegExp, string])[] = [
  [/^tags\./, 'tag.'],
  [/^variables\./, 'var.'],
];

/** `device.tags.floor` is the column `tag.floor`. */
function columnField(path: string): string {
  const name = path.replace(/^(device|gateway|deviceKeys|deviceActivation)\./, '').replace(/^location\./, '');
  for (const [pattern, prefix] of mapPaths) if (pattern.test(name)) return name.replace(pattern, prefix);
  return columnNames[name] ?? name;
}

/** The position of a row; undefined when it has none. */
export function locationOf(
  values: RowValues,
  before: Location | null,
  problems: RowProblem[],
): Record<string, unknown> | undefined {
  const [latitude, longitude, altitude] = ['latitude', 'longitude', 'altitude'].map((name) => values.get(name));
  if (latitude === undefined && longitude === undefined && altitude === undefined) return undefined;
  if (!before && (latitude === undefined || longitude === undefined)) {
    const field = latitude === undefined ? 'latitude' : 'longitude';
    problems.push({ field, text: 'A position needs latitude and longitude.' });
    return undefined;
  }
  const start = before ?? { altitude: 0, source: 'UNKNOWN', accuracy: 0 };
  return {
    ...start,
    ...(latitude !== undefined && { latitude }),
    ...(longitude !== undefined && { longitude }),
    ...(altitude !== undefined && { altitude }),
  };
}
