import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';

interface SettingsFile {
  name: string;
  text: string;
  /** Lines that go before the file. */
  environment: string;
}

export interface SettingsFiles {
  applicationServer: SettingsFile | undefined;
  networkServers: SettingsFile[];
}

interface Props {
  files: SettingsFiles;
  onChange: (files: SettingsFiles) => void;
}

const read = async (file: File): Promise<SettingsFile> => ({
  name: file.name,
  text: await file.text(),
  environment: '',
});

/** One file of the application server, one of each network server that becomes part of Hilltop. */
export function FilePicker({ files, onChange }: Props) {
  const { applicationServer, networkServers } = files;
  return (
    <Stack gap="sm">
      <Group>
        <FileButton
          accept=".toml"
          onChange={(file) => file && void read(file).then((one) => onChange({ ...files, applicationServer: one }))}
        >
          {(props) => (
            <Button variant="default" {...props}>
              Choose the application server’s
            </Button>
          )}
        </FileButton>
        <FileButton
          accept=".toml"
          multiple
          onChange={(chosen) =>
            void Promise.all(chosen.map(read)).then((all) => onChange({ ...files, networkServers: all }))
          }
        >
          {(props) => (
            <Button variant="default" {...props}>
              Choose those of network servers
            </Button>
          )}
        </FileButton>
      </Group>
      <Text>
        {applicationServer
          ? [applicationServer, ...networkServers].map(({ name }) => name).join(', ')
          : 'No file yet: chirpstack-application-server.toml comes first.'}
      </Text>
      {applicationServer && (
        <Textarea
          label="Environment of the application server"
          description="Where it has one: lines such as POSTGRESQL__DSN=…, which go before the file."
          rows={3}
          spellCheck={false}
          value={applicationServer.environment}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...files, applicationServer: { ...applicationServer, environment: value } })
          }
        />
      )}
    </Stack>
  );
}
