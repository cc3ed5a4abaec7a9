import { notFound, operations, trashedNames } from '@hilltop/contract';
import type { JobKind } from '../job/kind.ts';
import { openBody } from '../trash/body.ts';
import { removeEmptyTrash, trashRows } from '../trash/store.ts';
import { nameOfRow, type RestoreDependencies, restoreRow } from './restore-record.ts';

interface RestoreParameters {
  readonly trashID: string;
}

/** Restores the records of an entry of the trash, row by row, with the rights that its starter has at that moment. */
export function restoreTrash(needs: RestoreDependencies): JobKind<RestoreParameters> {
  const { database, secrets } = needs;
  return {
    access: (_subject, { parameters: { trashID } }) => [
      { operation: operations.trash.restore, request: { id: trashID } },
    ],
    audit: async ({ input = '' }) => {
      const rows = database.query.selectFrom('trash_row').select('kind').where('id', '=', Number(input));
      const isGateway = (await rows.executeTakeFirst())?.kind === 'GATEWAY';
      return { subject: isGateway ? 'gateway' : 'device', operation: 'trash.restore' };
    },
    subjects: async function* ({ parameters: { trashID } }) {
      for await (const rows of trashRows(database, trashID, trashedNames))
        yield rows.map((row) => ({
          subject: row.record_id,
          name: nameOfRow(openBody(secrets, row)),
          input: String(row.id),
        }));
    },
    run: async ({ subject, input }, _order, { principal }) => {
      if (!(await restoreRow(needs, Number(input), principal))) throw notFound('deleted record', subject);
      return undefined;
    },
    finish: ({ parameters: { trashID } }) => removeEmptyTrash(database, trashID),
  };
}
