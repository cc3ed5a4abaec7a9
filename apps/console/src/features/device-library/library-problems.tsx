import type { Library } from '@hilltop/contract';
import { Paper, Text, Title } from '@mantine/core';
import type { Column } from '../../components/list/cells.tsx';
import { DataTable } from '../../components/list/data-table.tsx';

type Problem = Library['problems'][number];

const columns: Column<Problem>[] = [
  { header: 'File', primary: true, cell: ({ file }) => <span className="identifier">{file}</span> },
  { header: 'Line', align: 'right', card: 'aside', cell: ({ line }) => line || '–' },
  { header: 'Problem', share: 2, wraps: true, card: 'plain', cell: ({ text }) => text },
];

/** What was skipped when the library was installed. */
export function LibraryProblems({ library: { problems, problemCount } }: { library: Library }) {
  return (
    <Paper component="section" aria-labelledby="library-problems" p={0}>
      <Title order={2} size="h3" id="library-problems" p="md" pb="xs">
        Skipped entries
      </Title>
      <Text c="dimmed" size="sm" px="md" pb="sm">
        {problems.length < problemCount
          ? `The first ${problems.length} of ${problemCount} entries that could not be used.`
          : 'These entries of the library could not be used. The others are installed.'}
      </Text>
      <DataTable
        label="Skipped entries"
        columns={columns}
        rows={problems}
        rowKey={({ file, line, text }) => `${file}:${line}:${text}`}
      />
    </Paper>
  );
}
