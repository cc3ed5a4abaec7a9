import type { Library } from '@hilltop/contract';
import { Button, FileButton, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { factsOf } from '../../api/facts.ts';
import { perform } from '../../api/queries.ts';
import { Facts } from '../../components/facts/facts.tsx';
import { readBase64 } from '../../components/file/read-base64.ts';
import { LastSeen } from '../../components/last-seen/last-seen.tsx';
import { LegalText } from '../../components/library/legal-text.tsx';
import { vectorsText } from '../../components/library/vectors-text.ts';
import { InlineError } from '../../components/states/states.tsx';

/** What is installed, with its licence, and the buttons that install another version. */
export function InstalledLibrary({ library }: { library: Library }) {
  const { version, installedAt, source, license, modelCount, vendors, changes } = library;
  const isInstalled = version !== '';
  return (
    <Paper component="section" aria-labelledby="installed-library">
      <Title order={2} size="h3" id="installed-library" mb="xs">
        {isInstalled ? 'Installed library' : 'No library is installed'}
      </Title>
      <Stack gap="sm">
        {isInstalled ? (
          <Facts
            facts={[
              [
                'Version',
                <span key="version" className="identifier">
                  {version}
                </span>,
              ],
              ['Installed', <LastSeen key="installed" at={installedAt} />],
              ['Source', source],
              ['Models', `${modelCount} of ${vendors.length} ${vendors.length === 1 ? 'vendor' : 'vendors'}`],
              ['Test vectors', vectorsText(library)],
              ...changeFacts(changes),
            ]}
          />
        ) : (
          <Text c="dimmed" maw={720}>
            The library has profiles and codecs of devices by vendor and model. Generic profiles exist without it.
            Nothing is downloaded until you press the button. Codecs run in the sandbox only, and existing
            device-profiles do not change.
          </Text>
        )}
        <InstallButtons library={library} />
        {license !== '' && (
          <details>
            <summary>Licence</summary>
            <LegalText label="Licence of the library" text={license} />
          </details>
        )}
      </Stack>
    </Paper>
  );
}

const changeNames = { added: 'Added', changed: 'Changed', removed: 'Removed' } as const;
const mostNames = 10;

/** The models that the last installation changed. */
function changeFacts(changes: Library['changes']): [string, string][] {
  return (Object.keys(changeNames) as (keyof typeof changeNames)[])
    .filter((kind) => changes[kind].length > 0)
    .map((kind) => {
      const names = changes[kind];
      const rest = names.length - mostNames;
      return [changeNames[kind], `${names.slice(0, mostNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`];
    });
}

function InstallButtons({ library: { address, version } }: { library: Library }) {
  const [failure, setFailure] = useState<unknown>(null);
  const [working, setWorking] = useState<'download' | 'upload' | null>(null);
  // A browser fires no event for a file that is selected again, such as after it was repaired.
  const forget = useRef<() => void>(null);
  const install = async (kind: 'download' | 'upload', call: () => Promise<unknown>) => {
    setWorking(kind);
    setFailure(null);
    await perform(call(), { changed: ['library'], done: 'device library has been installed' }).catch(setFailure);
    setWorking(null);
  };
  const upload = async (file: File) => {
    const { maxBytes: most = 0 } = factsOf('UploadLibraryRequest', 'file');
    if (file.size > most) throw new Error(`${file.name} is larger than ${most / 2 ** 20} MB. Choose another file.`);
    return api.library.upload({ name: file.name.slice(0, 200), file: await readBase64(file) });
  };
  return (
    <>
      <Group gap="sm">
        {address !== '' && (
          <Button
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={working === 'download'}
            disabled={working === 'upload'}
            onClick={() => void install('download', () => api.library.install({}))}
          >
            {version === '' ? 'Install library' : 'Update library'}
          </Button>
        )}
        <FileButton
          resetRef={forget}
          accept=".zip,application/zip"
          inputProps={{ 'aria-label': 'Upload a ZIP file' }}
          onChange={(file) => {
            forget.current?.();
            if (file) void install('upload', () => upload(file));
          }}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} aria-hidden />}
              loading={working === 'upload'}
              disabled={working === 'download'}
            >
              Upload a ZIP file
            </Button>
          )}
        </FileButton>
        <Text c="dimmed" size="sm" role="status">
          {working ? 'Reading the files and running their test vectors.' : ''}
        </Text>
      </Group>
      <Text c="dimmed" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {address === ''
          ? 'HILLTOP_DEVICE_LIBRARY_URL is empty: nothing is downloaded.'
          : `The button installs from ${address}`}
      </Text>
      <InlineError error={failure} />
    </>
  );
}
