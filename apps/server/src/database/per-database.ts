import type { Database } from './database.ts';

/** What is made once for each database, such as the statements of a store: `perDatabase(make)(database)`. */
export function perDatabase<Value>(make: (database: Database) => Value): (database: Database) => Value {
  const values = new WeakMap<Database, Value>();
  return (database) => {
    let value = values.get(database);
    if (value === undefined) values.set(database, (value = make(database)));
    return value;
  };
}
