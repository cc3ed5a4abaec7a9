import { ActionIcon, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconFileText, IconX } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import classes from './moving-in.module.css';
import { problemOf, readSettings, type SettingsFile, type SettingsFiles } from './settings-files.ts';

interface Props {
  files: SettingsFiles;
  onChange: (files: SettingsFiles) => void;
  /** Locks the files while they are being read. */
  disabled: boolean;
}

/** One file of the application server, and one of each network server that becomes part of Hilltop. */
export function FilePicker({ files, onChange, disabled }: Props) {
  const { applicationServer, networkServers } = files;
  const withOthers = (others: readonly SettingsFile[]) => onChange({ ...files, networkServers: others });
  const add = (chosen: readonly SettingsFile[]) => {
    const names = new Set(chosen.map(({ name }) => name));
    withOthers([...networkServers.filter(({ name }) => !names.has(name)), ...chosen]);
  };
  return (
    <fieldset className={classes.files} disabled={disabled} aria-label="Settings files">
      <Group gap="sm">
        <Choose
          label={applicationServer ? 'Choose another application server' : 'Choose the application server'}
          onChosen={([one]) => onChange({ ...files, applicationServer: one })}
        />
        <Choose label="Add network-servers" isMultiple onChosen={add} />
      </Group>
      <Text c="dimmed" size="sm">
        Choose chirpstack-application-server.toml, and the chirpstack-network-server.toml of each network-server that
        Hilltop replaces. Other network-servers continue to run. A file with environment variables (such as as.env) can
        replace or complete a TOML file.
      </Text>
      {(applicationServer || networkServers.length > 0) && (
        <ul className={classes.chosen} aria-label="Chosen files">
          {applicationServer && (
            <Chosen
              of="Application server"
              file={applicationServer}
              problem={problemOf(files, applicationServer)}
              onChange={(one) => onChange({ ...files, applicationServer: one })}
            />
          )}
          {networkServers.map((file) => (
            <Chosen
              key={file.name}
              of="Network server"
              file={file}
              problem={problemOf(files, file)}
              onChange={(changed) =>
                withOthers(networkServers.flatMap((one) => (one === file ? (changed ?? []) : one)))
              }
            />
          ))}
        </ul>
      )}
    </fieldset>
  );
}

function Choose({
  label,
  isMultiple = false,
  onChosen,
}: {
  label: string;
  isMultiple?: boolean;
  onChosen: (files: SettingsFile[]) => void;
}) {
  // A browser fires no event for a file that is selected again, such as after it was removed.
  const forget = useRef<() => void>(null);
  return (
    <FileButton
      multiple={isMultiple}
      resetRef={forget}
      inputProps={{ 'aria-label': label }}
      onChange={(chosen) => {
        forget.current?.();
        const all = Array.isArray(chosen) ? chosen : chosen ? [chosen] : [];
        if (all.length > 0) void Promise.all(all.map(readSettings)).then(onChosen);
      }}
    >
      {(props) => (
        <Button variant="default" {...props}>
          {label}
        </Button>
      )}
    </FileButton>
  );
}

/** A selected file, and the environment of its server. */
function Chosen({
  of,
  file,
  problem,
  onChange,
}: {
  of: string;
  file: SettingsFile;
  problem: string | undefined;
  onChange: (file: SettingsFile | undefined) => void;
}) {
  const { name, environment } = file;
  const [isOpen, setOpen] = useState(environment !== '');
  return (
    <li>
      <div className={classes.file}>
        <IconFileText size={18} aria-hidden />
        <div className={classes.name}>
          <span className="identifier">{name}</span>
          <Group gap="xs">
            <Text c="dimmed" size="sm">
              {of}
            </Text>
            {!isOpen && !problem && (
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => setOpen(true)}
                aria-label={`Environment of ${name}`}
              >
                Environment
              </Button>
            )}
          </Group>
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`Remove ${name}`}
          title="Remove"
          onClick={() => onChange(undefined)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </div>
      {problem && (
        <Text c="red" size="sm" role="alert">
          {problem}
        </Text>
      )}
      {isOpen && !problem && (
        <Stack mt="xs">
          <Textarea
            label={`Environment of ${name}`}
            description="Lines such as POSTGRESQL__DSN=…. They override the file."
            rows={3}
            spellCheck={false}
            value={environment}
            onChange={({ currentTarget: { value } }) => onChange({ ...file, environment: value })}
          />
        </Stack>
      )}
    </li>
  );
}
