import type { SourceRow } from '../source/postgres.ts';
import { number, text } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { type importRows, NotImportable, rowsBy } from './each-row.ts';
import type { ImportPass } from './import-pass.ts';

/**
 * A profile has a row in the application server, and its network server has a record with the same id. Both are
 * imported.
 */
interface ProfileImport {
  what: string;
  /** The column of the id has the same name in both databases. */
  table: string;
  id: string;
  /** Whether it has an organization. */
  isOwned: boolean;
  imported: Map<string, number>;
  toTargetRows: typeof importRows;
  problemOf: (row: SourceRow) => string | undefined;
  rowOf: (row: SourceRow, own: { id: string; network_server_id: number; name: string }) => TargetRow;
  recordOf: (networkServerID: number, id: string, row: SourceRow) => TargetRow;
}

export async function* importProfiles(pass: ImportPass, profiles: ProfileImport): AsyncGenerator<TargetRow[]> {
  const { what, table, id: column, isOwned, imported, toTargetRows, problemOf, rowOf, recordOf } = profiles;
  pass.report.count(what);
  for await (const rows of pass.database.rows(table)) {
    const ids = rows.map((row) => text(row, column));
    const there = new Map<number, Map<string, SourceRow>>();
    for (const [networkServerID, { database }] of pass.networks)
      there.set(networkServerID, await rowsBy(database, table, column, ids));
    yield toTargetRows(pass, rows, {
      what,
      nameInReport: (row) => text(row, 'name'),
      problemOf,
      toTargetRows: (row) => {
        const [id, networkServerID] = [text(row, column), number(row, 'network_server_id')];
        if (!pass.imported.networkServers.has(networkServerID))
          throw new NotImportable('its network-server is not imported');
        if (isOwned && !pass.imported.organizations.has(number(row, 'organization_id')))
          throw new NotImportable('its organization is not imported');
        const own = { id, network_server_id: networkServerID, name: text(row, 'name') };
        const wanted = rowOf(row, own);
        const records = there.get(networkServerID);
        if (!records) {
          imported.set(id, networkServerID);
          return [wanted];
        }
        const record = records.get(id);
        if (!record) throw new NotImportable('its network server does not know it');
        const atNetworkServer = recordOf(networkServerID, id, record);
        imported.set(id, networkServerID);
        return [wanted, atNetworkServer];
      },
    });
  }
}
