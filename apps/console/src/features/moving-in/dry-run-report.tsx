import type { ImportV3Report } from '@hilltop/contract';
import { Paper, Stack, Text, Title } from '@mantine/core';
import { DataTable } from '../../components/list/data-table.tsx';

type Finding = ImportV3Report['findings'][number];
type Count = ImportV3Report['counts'][number];

const headings: Readonly<Record<Finding['kind'], string>> = {
  STOPS: 'Not ready',
  NOT_CARRIED: 'Not carried',
  NOTICE: 'To know',
  SECURITY: 'Security',
};

/** As the command prints it. */
export function DryRunReport({ report: { sources, counts, findings, settings } }: { report: ImportV3Report }) {
  const kinds = Object.keys(headings) as Finding['kind'][];
  return (
    <Paper component="section" aria-labelledby="report">
      <Title order={2} size="h3" id="report" mb="xs">
        {findings.some(({ kind }) => kind === 'STOPS') ? 'Not ready to move' : 'Ready to move'}
      </Title>
      <Stack gap="md">
        {sources.map(({ what, where, version }) => (
          <Text key={`${what} ${where}`}>
            {what} at <code>{where}</code>: {version}
          </Text>
        ))}
        {counts.length > 0 && (
          <DataTable<Count>
            label="What would be carried"
            columns={[
              { header: 'What', primary: true, cell: ({ what }) => what },
              { header: 'In version 3', align: 'right', cell: ({ inV3 }) => inV3.toLocaleString('en') },
              { header: 'Carried', align: 'right', cell: (count) => count.new.toLocaleString('en') },
              { header: 'Not carried', align: 'right', cell: ({ notCarried }) => notCarried.toLocaleString('en') },
            ]}
            rows={counts}
            rowKey={({ what }) => what}
          />
        )}
        {kinds.map((kind) => (
          <Findings key={kind} heading={headings[kind]} findings={findings.filter((one) => one.kind === kind)} />
        ))}
        {settings.length > 0 && (
          <section aria-labelledby="settings">
            <Title order={3} size="h4" id="settings">
              Settings, for the environment
            </Title>
            <pre>{settings.join('\n')}</pre>
          </section>
        )}
      </Stack>
    </Paper>
  );
}

function Findings({ heading, findings }: { heading: string; findings: Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <section aria-label={heading}>
      <Title order={3} size="h4">
        {heading}
      </Title>
      <ul>
        {findings.map(({ what, because, count, examples }) => (
          <li key={`${what} ${because}`}>
            {what}
            {count > 1 && ` (${count.toLocaleString('en')})`}: {because}
            {examples.length > 0 && (
              <Text c="dimmed">
                {examples.join(', ')}
                {count > examples.length && ', …'}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
