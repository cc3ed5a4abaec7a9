import type { FileImport } from '@hilltop/contract';
import { Button, FileButton, Group, Paper, SegmentedControl, Stack, Text, Textarea, Title } from '@mantine/core';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { factsOf } from '../../api/facts.ts';
import { Disclosure } from '../../components/disclosure/disclosure.tsx';
import { downloadText } from '../../components/download/download.ts';
import { readBase64 } from '../../components/file/read-base64.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { InlineError } from '../../components/states/states.tsx';
import { useMay } from '../../session/session.tsx';
import classes from './file-import.module.css';
import { many } from './import-words.ts';
import { useCall } from './use-call.ts';
import { useImportAddress, useShowImport } from './use-import.ts';

type Kind = FileImport['kind'];

const templates: Record<Kind, string> = {
  DEVICES: 'devEUI,name,description,application,deviceProfile,appKey,latitude,longitude,tag.floor\r\n',
  GATEWAYS: 'id,name,description,networkServer,latitude,longitude,altitude,tag.site\r\n',
};

/** Which file. */
export function FileStep() {
  const { organizationID } = useIDs();
  const address = useImportAddress();
  const may = useMay();
  const kinds: Kind[] = [
    ...(may('firstSteps.addDevice') ? (['DEVICES'] as const) : []),
    ...(may('gateway.create') ? (['GATEWAYS'] as const) : []),
  ];
  const [chosen, setChosen] = useState<Kind>(address.kind === 'GATEWAYS' ? 'GATEWAYS' : 'DEVICES');
  const kind = kinds.includes(chosen) ? chosen : (kinds[0] ?? chosen);
  const { send, failure, isSending } = useSend(organizationID, kind);
  return (
    <Paper component="section" aria-labelledby="import-file">
      <Title order={2} size="h3" id="import-file" mb="xs">
        File
      </Title>
      <Stack>
        <Text c="dimmed" maw={720}>
          A CSV or XLSX file with one row for each of the {many(kind)}: from Hilltop, The Things Stack, ChirpStack,
          ThingPark or a vendor. The next step shows what each column is. Nothing is created before you have seen the
          check.
        </Text>
        {kinds.length > 1 && (
          <SegmentedControl
            aria-label="What to import"
            w="fit-content"
            data={[
              { value: 'DEVICES', label: 'Devices' },
              { value: 'GATEWAYS', label: 'Gateways' },
            ]}
            value={kind}
            onChange={(value) => setChosen(value as Kind)}
          />
        )}
        <DropZone isSending={isSending} onFile={(file) => void send(file)} />
        <InlineError error={failure} />
        <Disclosure label="Paste rows instead">
          <PastedRows isSending={isSending} onFile={(file) => void send(file)} />
        </Disclosure>
        <Button
          variant="default"
          w="fit-content"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => downloadText(`${many(kind)}-template.csv`, `\uFEFF${templates[kind]}`, 'text/csv')}
        >
          Download a template
        </Button>
      </Stack>
    </Paper>
  );
}

/** Sends a file as a new import. */
function useSend(organizationID: string, kind: Kind) {
  const show = useShowImport();
  const { run, failure, isRunning } = useCall();
  const upload = async (file: File) => {
    const { maxBytes: most = 0 } = factsOf('UploadImportRequest', 'file');
    if (file.size > most)
      throw new Error(`${file.name} is larger than ${most / 2 ** 20} MB. Divide it and import each part.`);
    const content = await readBase64(file);
    const { id } = await api.fileImport.create({ organizationID, kind });
    return api.fileImport.upload({ id, name: file.name.slice(0, 200), file: content });
  };
  return { send: (file: File) => run(upload(file), show), failure, isSending: isRunning };
}

function DropZone({ isSending, onFile }: { isSending: boolean; onFile: (file: File) => void }) {
  const [isOver, setOver] = useState(false);
  // A browser fires no event for a file that is selected again, such as after it was corrected.
  const forget = useRef<() => void>(null);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button inside does the same
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FileButton
        resetRef={forget}
        accept=".csv,.tsv,.txt,.xlsx,text/csv"
        inputProps={{ 'aria-label': 'Choose a file' }}
        onChange={(file) => {
          forget.current?.();
          if (file) onFile(file);
        }}
      >
        {(props) => (
          <Button {...props} loading={isSending} leftSection={<IconUpload size={16} aria-hidden />}>
            Choose a file
          </Button>
        )}
      </FileButton>
      <Text c="dimmed">or drop it here. At most 10 MB and 50,000 rows.</Text>
    </div>
  );
}

function PastedRows({ isSending, onFile }: { isSending: boolean; onFile: (file: File) => void }) {
  const [text, setText] = useState('');
  return (
    <Stack gap="xs" align="flex-start">
      <Textarea
        w="100%"
        label="Rows"
        description="As copied from a spreadsheet. The first row has the names of the columns."
        rows={6}
        spellCheck={false}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <Group>
        <Button
          variant="default"
          disabled={text.trim() === ''}
          loading={isSending}
          onClick={() => onFile(new File([text], 'pasted rows', { type: 'text/plain' }))}
        >
          Use these rows
        </Button>
      </Group>
    </Stack>
  );
}
