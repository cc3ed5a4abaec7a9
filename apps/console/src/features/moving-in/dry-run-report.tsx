import type { ImportV3Report } from '@hilltop/contract';
import {
  importV3Columns,
  importV3Examples,
  importV3Headings,
  importV3Kinds,
  importV3SettingsHeading,
  importV3Subject,
  importV3Verdict,
} from '@hilltop/contract/import-v3-words';
import { Paper, Stack, Text, Title } from '@mantine/core';
import { Lines } from '../../components/copy/lines.tsx';
import { DataTable } from '../../components/list/data-table.tsx';
import classes from './moving-in.module.css';

type Finding = ImportV3Report['findings'][number];
type Count = ImportV3Report['counts'][number];

/** The same report as the command prints: both use one table for texts and columns. */
export function DryRunReport({ report: { sources, counts, findings, settings } }: { report: ImportV3Report }) {
  return (
    <Paper component="section" aria-labelledby="report">
      <Title order={2} size="h3" id="report" mb="xs">
        {importV3Verdict(findings)}
      </Title>
      <Stack gap="lg">
        {sources.length > 0 && (
          <div>
            {sources.map(({ what, where, version }) => (
              <Text key={`${what} ${where}`} className={classes.source}>
                {what} at <code>{where}</code>: {version}
              </Text>
            ))}
          </div>
        )}
        {counts.length > 0 && (
          <DataTable<Count>
            label="What would be imported"
            columns={[
              { header: 'What', primary: true, cell: ({ what }) => what },
              ...importV3Columns(counts).map(({ name, label }) => ({
                header: label,
                align: 'right' as const,
                cell: (count: Count) => count[name].toLocaleString('en'),
              })),
            ]}
            rows={counts}
            rowKey={({ what }) => what}
          />
        )}
        {importV3Kinds.map((kind) => (
          <Findings key={kind} kind={kind} findings={findings.filter((one) => one.kind === kind)} />
        ))}
        {settings.length > 0 && (
          <section aria-labelledby="settings">
            <Title order={3} size="sm" id="settings" mb="xs">
              {importV3SettingsHeading}
            </Title>
            <Lines text={settings.join('\n')} label="Copy the settings" />
          </section>
        )}
      </Stack>
    </Paper>
  );
}

function Findings({ kind, findings }: { kind: Finding['kind']; findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  const heading = importV3Headings[kind];
  return (
    <section aria-label={heading}>
      <Title order={3} size="sm">
        {heading}
      </Title>
      <ul className={classes.findings} data-kind={kind}>
        {findings.map((finding) => (
          <li key={`${finding.what} ${finding.because}`}>
            <span className={classes.subject}>{importV3Subject(finding)}</span>: {finding.because}
            {finding.examples.length > 0 && (
              <Text c="dimmed" className={classes.examples}>
                {importV3Examples(finding)}
              </Text>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
