import type { FileImport, FileImportRow } from '@hilltop/contract';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { query } from '../../api/queries.ts';
import { startDownload } from '../../components/download/start-download.ts';
import { ErrorState } from '../../components/states/states.tsx';
import classes from './file-import.module.css';

/** More are in the file that can be downloaded. */
const mostShown = 100;

/** The rows that are not imported, each cell with its problem. */
export function ProblemRows({ found, problemsOnly }: { found: FileImport; problemsOnly: boolean }) {
  const { id } = found;
  const rows = useQuery(query('fileImport', 'listRows', { id, problemsOnly, limit: mostShown, offset: 0 }));
  if (rows.error && !rows.data) return <ErrorState error={rows.error} retry={() => void rows.refetch()} />;
  if (!rows.data) return <Skeleton h={160} />;
  const { result, totalCount } = rows.data;
  if (result.length === 0) return null;
  const rest = Number(totalCount) - result.length;
  return (
    <>
      <div className={classes.table}>
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Problem</th>
            </tr>
          </thead>
          <tbody>
            {result.map((row) => (
              <tr key={row.number}>
                <td className={`number ${classes.row}`}>{row.number}</td>
                <td>
                  <Problems found={found} row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Group mt="sm">
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => void startDownload('IMPORT_ROWS', 'CSV', { id })}
        >
          Download these rows
        </Button>
        <Text c="dimmed" size="sm">
          {rest > 0 && `And ${rest.toLocaleString('en')} more. `}
          Correct the rows in this file and import it. Its last column names the problem.
        </Text>
      </Group>
    </>
  );
}

function Problems({ found: { columns, fields }, row }: { found: FileImport; row: FileImportRow }) {
  return (
    <ul className={classes.problems}>
      {row.problems.map(({ field, text }) => {
        const at = columns.findIndex((column) => column.field === field);
        const value = at < 0 ? '' : (row.cells[at] ?? '');
        const label = fields.find(({ name }) => name === field)?.label ?? field;
        return (
          <li key={`${field} ${text}`}>
            {field !== '' && `${label}: `}
            {value !== '' && <span className={`identifier ${classes.value}`}>{value.slice(0, 64)}</span>} {text}
          </li>
        );
      })}
      {row.problems.length === 0 && <li>This row was not reached.</li>}
    </ul>
  );
}
