import type { WatchedTable } from './watch.ts';

/** The statements that create triggers of one connection, which call the function `reporter` for each changed row. */
export function triggersOf(reporter: string, { table, key = [], columns }: WatchedTable): string {
  const report = (row: 'old' | 'new') =>
    `select ${reporter}(${key.map((column) => `${row}.${column}`).join(" || '/' || ") || 'null'});`;
  const ofColumns = columns ? ` of ${columns.join(', ')}` : '';
  const hasKeyChanged = key.map((column) => `new.${column} is not old.${column}`).join(' or ');
  const update = `after update${ofColumns} on ${table}`;
  return `
    create temp trigger ${reporter}_${table}_new after insert on ${table} begin ${report('new')} end;
    create temp trigger ${reporter}_${table}_gone after delete on ${table} begin ${report('old')} end;
    create temp trigger ${reporter}_${table}_changed ${update} begin ${report('old')} end;
    ${hasKeyChanged && `create temp trigger ${reporter}_${table}_moved ${update} when ${hasKeyChanged} begin ${report('new')} end;`}`;
}
