import {
  type Field,
  type FileImport,
  type FileImportKind,
  importFields,
  importKeys,
  importMaps,
  invalidFields,
} from '@hilltop/contract';

export interface PlannedColumn {
  name: string;
  /** Empty: not used. */
  field: string;
  isReversed: boolean;
}

/** How the cells of a file become records. */
export type ImportPlan = Pick<FileImport, 'constants' | 'namePattern' | 'whenExists'> & { columns: PlannedColumn[] };

export interface RowProblem {
  /** Empty: the whole row. */
  field: string;
  text: string;
}

/** What a column `field` holds; undefined when there is no such field. */
export function fieldOf(kind: FileImportKind, field: string): Field | undefined {
  const fields: Readonly<Record<string, Field>> = importFields[kind];
  if (Object.hasOwn(fields, field)) return fields[field];
  const [map, name] = splitMapField(field);
  const maps: Readonly<Record<string, Field>> = importMaps[kind];
  return name !== '' && Object.hasOwn(maps, map) ? maps[map]!.of : undefined;
}

/** What a record may have no value of; import never removes keys and sessions. */
export const isRemovable = (field: string): boolean =>
  ['description', 'latitude', 'longitude'].includes(field) || splitMapField(field)[1] !== '';

/** `tag.floor.east` is the entry `floor.east` of `tag`. */
export function splitMapField(field: string): [map: string, name: string] {
  const dot = field.indexOf('.');
  return dot < 0 ? [field, ''] : [field.slice(0, dot), field.slice(dot + 1)];
}

/** Texts that differ between rows. */
const ownTexts: ReadonlySet<string> = new Set(['name', 'onboardingTag', 'devNonces']);

/** Keys and identifiers differ between rows. */
export function mayBeConstant(kind: FileImportKind, field: string): boolean {
  const { kind: valueKind, facts } = fieldOf(kind, field)!;
  const isOwn = facts.secret || valueKind === 'eui64' || valueKind === 'devAddr' || valueKind === 'uint32';
  return !isOwn && !ownTexts.has(field);
}

/** Refuses a plan with unknown fields, with two columns for one field, or without a column that identifies records. */
export function checkPlan(kind: FileImportKind, { columns, constants }: ImportPlan): void {
  const problems: { field: string; description: string }[] = [];
  const columnsByField = new Map<string, number>();
  columns.forEach(({ field }, at) => {
    if (field === '') return;
    const path = `columns[${at}].field`;
    const other = columnsByField.get(field);
    if (!fieldOf(kind, field)) problems.push({ field: path, description: `There is no field ${field}.` });
    else if (other !== undefined)
      problems.push({ field: path, description: `Column ${other + 1} has the field ${field} already.` });
    columnsByField.set(field, at);
  });
  for (const field of Object.keys(constants)) {
    if (!fieldOf(kind, field)) problems.push({ field: 'constants', description: `There is no field ${field}.` });
    else if (!mayBeConstant(kind, field))
      problems.push({ field: 'constants', description: `${field} must differ between rows: it needs a column.` });
  }
  const key = importKeys[kind];
  if (!columnsByField.has(key) && !columnsByField.has('onboardingTag'))
    problems.push({
      field: 'columns',
      description: `No column is the ${fieldOf(kind, key)!.facts.label}. Choose one.`,
    });
  if (problems.length > 0) throw invalidFields(problems.slice(0, 20));
}
