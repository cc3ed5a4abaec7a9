import type { Move } from '../move.ts';
import { number, text } from '../read-row.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';
import { type carryRows, LeftBehind, rowsBy } from './each-row.ts';

/** Profiles have a row here, and one with the same id at their network server, which becomes a record of ours. */
interface Profiles {
  what: string;
  /** Of the same name in both databases, as its id. */
  table: string;
  id: string;
  /** With an organization. */
  isOwned: boolean;
  carried: Map<string, number>;
  carry: typeof carryRows;
  problemOf: (row: SourceRow) => string | undefined;
  rowOf: (row: SourceRow, own: { id: string; network_server_id: number; name: string }) => WantedRow;
  recordOf: (networkServerID: number, id: string, row: SourceRow) => WantedRow;
}

export async function* carryProfiles(move: Move, profiles: Profiles): AsyncGenerator<WantedRow[]> {
  const { what, table, id: column, isOwned, carried, carry, problemOf, rowOf, recordOf } = profiles;
  move.report.count(what);
  for await (const rows of move.database.rows(table)) {
    const ids = rows.map((row) => text(row, column));
    const there = new Map<number, Map<string, SourceRow>>();
    for (const [networkServerID, { database }] of move.networks)
      there.set(networkServerID, await rowsBy(database, table, column, ids));
    yield carry(move, rows, {
      what,
      called: (row) => text(row, 'name'),
      problemOf,
      carry: (row) => {
        const [id, networkServerID] = [text(row, column), number(row, 'network_server_id')];
        if (!move.carried.networkServers.has(networkServerID))
          throw new LeftBehind('its network-server is not carried');
        if (isOwned && !move.carried.organizations.has(number(row, 'organization_id')))
          throw new LeftBehind('its organization is not carried');
        const own = { id, network_server_id: networkServerID, name: text(row, 'name') };
        const wanted = rowOf(row, own);
        const records = there.get(networkServerID);
        if (!records) {
          carried.set(id, networkServerID);
          return [wanted];
        }
        const record = records.get(id);
        if (!record) throw new LeftBehind('its network server does not know it');
        const atNetworkServer = recordOf(networkServerID, id, record);
        carried.set(id, networkServerID);
        return [wanted, atNetworkServer];
      },
    });
  }
}
