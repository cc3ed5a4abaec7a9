import { invalidFields, type JobAction, refusal } from '@hilltop/contract';

/** The most tags or variables of a record, and the longest value. */
export interface NameLimits {
  readonly most: number;
  readonly longest: number;
}

export const tagsLimits: NameLimits = { most: 64, longest: 1024 };
export const variablesLimits: NameLimits = { most: 256, longest: 4096 };

type Names = Readonly<Record<string, string>>;
type Changes = Pick<JobAction, 'set' | 'remove' | 'rename'>;

export function checkNames({ set, rename }: Changes, { longest }: NameLimits): void {
  for (const [name, value] of Object.entries(set))
    if (name === '') throw invalidFields([{ field: 'action.set', description: 'The name is missing.' }]);
    else if (value.length > longest)
      throw invalidFields([{ field: `action.set.${name}`, description: `It is longer than ${longest} characters.` }]);
  for (const [name, to] of Object.entries(rename))
    if (to === '') throw invalidFields([{ field: `action.rename.${name}`, description: 'The new name is missing.' }]);
}

/** Tags or variables after a change: first renamed, then removed, then set. */
export function changeNames(before: Names, { set, remove, rename }: Changes, { most }: NameLimits): Names {
  const names = new Map(Object.entries(before));
  for (const [from, to] of Object.entries(rename)) {
    const value = names.get(from);
    if (value === undefined || from === to) continue;
    if (names.has(to)) throw refusal('TAG_TAKEN', { name: to });
    names.delete(from);
    names.set(to, value);
  }
  for (const name of remove) names.delete(name);
  for (const [name, value] of Object.entries(set)) names.set(name, value);
  if (names.size > most) throw refusal('TOO_MANY_TAGS', { most });
  return Object.fromEntries(names);
}
