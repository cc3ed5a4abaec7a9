import type { ImportV3Report } from '@hilltop/contract';
import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { useCommandLine } from '../../api/use-command-line.ts';
import { Lines } from '../../components/copy/lines.tsx';
import { PageHeader } from '../../components/page-header/page-header.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { DryRunReport } from './dry-run-report.tsx';
import { FilePicker } from './file-picker.tsx';
import {
  environmentFileOf,
  importArguments,
  noFiles,
  problemOf,
  type SettingsFile,
  type SettingsFiles,
} from './settings-files.ts';

/** A dry run of the migration from version 3. The import itself is a command, which the page shows. */
export function MovingIn() {
  const [files, setFiles] = useState(noFiles);
  const [report, setReport] = useState<ImportV3Report | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isLooking, setLooking] = useState(false);
  const { applicationServer, networkServers } = files;
  const isReady = applicationServer && [applicationServer, ...networkServers].every((one) => !problemOf(files, one));
  const forgetAnswer = () => {
    setReport(null);
    setFailure(null);
  };
  const choose = (chosen: SettingsFiles) => {
    setFiles(chosen);
    forgetAnswer();
  };
  const look = async () => {
    if (!applicationServer) return;
    setLooking(true);
    forgetAnswer();
    const asked = { applicationServer: sent(applicationServer), networkServers: networkServers.map(sent) };
    await perform(api.importV3.dryRun(asked)).then(setReport, setFailure);
    setLooking(false);
  };
  return (
    <>
      <PageHeader title="Moving in from version 3" />
      <Stack>
        <Paper component="section" aria-labelledby="settings-files">
          <Title order={2} size="h3" id="settings-files" mb="xs">
            Dry run
          </Title>
          <Text c="dimmed" mb="md">
            Hilltop reads the databases that the configuration files of the ChirpStack servers name. It writes nothing,
            and it does not store the files or their content.
          </Text>
          <FilePicker files={files} onChange={choose} disabled={isLooking} />
          <Group mt="md">
            <Button disabled={!isReady} loading={isLooking} onClick={() => void look()}>
              Start the dry run
            </Button>
            <Text c="dimmed" role="status">
              {isLooking ? 'Reading the databases. With many devices this takes a minute or two.' : ''}
            </Text>
          </Group>
          {failure !== null && (
            <Stack mt="md">
              <InlineError error={failure} />
            </Stack>
          )}
        </Paper>
        {report && <DryRunReport report={report} />}
        <Then files={files} />
      </Stack>
    </>
  );
}

const sent = ({ name, text, environment }: SettingsFile) => ({ name, text, environment });

function Then({ files }: { files: SettingsFiles }) {
  const commandLine = useCommandLine();
  const { applicationServer, networkServers } = files;
  const besides = [applicationServer, ...networkServers].filter(
    (one) => one !== undefined && one.text !== '' && one.environment.trim() !== '',
  );
  return (
    <Paper component="section" aria-labelledby="move">
      <Title order={2} size="h3" id="move" mb="xs">
        Then move
      </Title>
      <Text c="dimmed" mb="sm">
        Stop Hilltop and run this command on its machine to import the data. You can repeat it while the old servers
        run.{' '}
        <Anchor href="/docs/moving-in" underline="always">
          The documentation
        </Anchor>{' '}
        describes the final import and the way back.
      </Text>
      {besides.length > 0 && (
        <Text c="dimmed" mb="sm">
          Save the environment variables as {besides.map((one) => environmentFileOf(one?.name ?? '')).join(', ')} first.
        </Text>
      )}
      <Lines text={commandLine('import-v3', importArguments(files))} label="Copy the command" />
    </Paper>
  );
}
