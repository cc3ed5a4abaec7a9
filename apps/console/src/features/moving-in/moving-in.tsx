import type { ImportV3Report } from '@hilltop/contract';
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { CopyButton } from '../../components/copy/copy.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import { DryRunReport } from './dry-run-report.tsx';
import { FilePicker, type SettingsFiles } from './file-picker.tsx';

const none: SettingsFiles = { applicationServer: undefined, networkServers: [] };

/** What moving in from version 3 would bring. The copy itself is made by the command, which the page hands over. */
export function MovingIn() {
  const [files, setFiles] = useState(none);
  const [report, setReport] = useState<ImportV3Report | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isLooking, setLooking] = useState(false);
  const { applicationServer, networkServers } = files;
  const choose = (chosen: SettingsFiles) => {
    setFiles(chosen);
    setReport(null);
    setFailure(null);
  };
  const look = async () => {
    setLooking(true);
    setReport(null);
    setFailure(null);
    await perform(api.importV3.dryRun({ applicationServer, networkServers })).then(setReport, setFailure);
    setLooking(false);
  };
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Network-servers', to: paths.networkServer.list() }]}
        title="Moving in from version 3"
      />
      <Stack maw={960}>
        <Paper component="section" aria-labelledby="settings-files">
          <Title order={2} size="h3" id="settings-files" mb="xs">
            Look first
          </Title>
          <Text c="dimmed" mb="sm">
            The settings files of the old servers lead to their databases, which this server reads. Nothing is written
            there or here, and neither the files nor what they say is kept.
          </Text>
          <FilePicker files={files} onChange={choose} />
          <Group mt="md">
            <Button disabled={!applicationServer} loading={isLooking} onClick={() => void look()}>
              Look
            </Button>
            <Text c="dimmed" role="status">
              {isLooking ? 'Reading. With many devices this takes a minute or two.' : ''}
            </Text>
          </Group>
          <InlineError error={failure} />
        </Paper>
        {report && <DryRunReport report={report} />}
        <Command files={files} />
      </Stack>
    </>
  );
}

function Command({ files: { applicationServer, networkServers } }: { files: SettingsFiles }) {
  const quoted = (name: string) => (/^[\w.+-]+$/.test(name) ? name : `'${name}'`);
  const configs = networkServers.map(({ name }) => ` --ns-config ${quoted(name)}`).join('');
  const command = `npm run import-v3 -- --config ${quoted(applicationServer?.name ?? 'as.toml')}${configs}`;
  return (
    <Paper component="section" aria-labelledby="move">
      <Title order={2} size="h3" id="move" mb="xs">
        Then move
      </Title>
      <Text c="dimmed" mb="sm">
        The copy is made at the machine of Hilltop, with the server stopped, by this command. It can be repeated while
        the old servers run; docs/moving-in.md has the way to the last pass, and back.
      </Text>
      <Group gap="xs">
        <code>{command}</code>
        <CopyButton value={command} label="Copy the command" />
      </Group>
    </Paper>
  );
}
