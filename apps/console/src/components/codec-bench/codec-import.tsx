import type { CodecVector, InputOf, Operations, ResponseOf } from '@hilltop/contract';
import { Button, FileButton, Group, Text } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { factsOf } from '../../api/facts.ts';
import { perform } from '../../api/queries.ts';
import { ConfirmDialog } from '../confirm/confirm-dialog.tsx';
import { useIDs } from '../link/use-ids.ts';
import { InlineError } from '../states/states.tsx';
import type { BenchCodec } from './bench-case.ts';
import classes from './codec-bench.module.css';

type Import = Operations['codecImport']['create'];
type Imported = ResponseOf<Import>;

interface Props {
  codec: BenchCodec;
  vectors: readonly CodecVector[];
  /** Puts the scripts and test vectors in the form. */
  onImport: (imported: Imported) => void;
}

/** Reads the files of a vendor's codec, which are dropped, chosen or pasted, into the unsaved form. */
export function CodecImport({ codec, vectors, onImport }: Props) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const { files, isPending, failure, imported, question, add, clear, accept, decline } = useImport(
    codec,
    vectors,
    onImport,
  );
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void add([...event.dataTransfer.files]);
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    const text = clipboardData.getData('text');
    if (clipboardData.files.length > 0) void add([...clipboardData.files]);
    else if (text.trim() !== '') void add([new File([text], 'pasted.js')]);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the button inside does the same
    <section
      aria-labelledby={id}
      className={classes.import}
      data-over={isOver || undefined}
      // A click focuses it, so that it receives what is pasted.
      tabIndex={-1}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      onPaste={onPaste}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" fw={600} id={id}>
          Import the files of a vendor
        </Text>
        <Group gap="xs">
          {files.length > 0 && (
            <Button size="xs" variant="subtle" color="gray" onClick={clear}>
              Start over
            </Button>
          )}
          <ChooseFiles isPending={isPending} onChoose={(chosen) => void add(chosen)} />
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        Drop or paste a script, with its tests (<code>test_decode_*.json</code>, <code>test_encode_*.json</code>) or its
        description (<code>.yaml</code>), or a ZIP file with them.
      </Text>
      <Text size="sm" role="status">
        {files.length > 0 && !isPending && `Files: ${files.map(({ name }) => name).join(', ')}`}
        {imported && importedText(imported)}
      </Text>
      <InlineError error={failure} />
      {imported && <Remarks remarks={imported.remarks} />}
      <ConfirmDialog
        opened={question !== null}
        onClose={decline}
        title="Replace the codec in the form?"
        question={question ?? ''}
        action="Replace"
        onConfirm={async () => accept()}
      />
    </section>
  );
}

function ChooseFiles({ isPending, onChoose }: { isPending: boolean; onChoose: (files: readonly File[]) => void }) {
  // A browser fires no event for files that are selected again, such as after they were repaired.
  const forget = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      resetRef={forget}
      accept=".js,.json,.yaml,.yml,.zip"
      inputProps={{ 'aria-label': 'Choose codec files' }}
      onChange={(chosen) => {
        forget.current?.();
        onChoose(chosen);
      }}
    >
      {(props) => (
        <Button
          {...props}
          size="xs"
          variant="default"
          leftSection={<IconFileImport size={14} aria-hidden />}
          loading={isPending}
        >
          Choose files
        </Button>
      )}
    </FileButton>
  );
}

/** What was not used, with file and line. */
function Remarks({ remarks }: Pick<Imported, 'remarks'>) {
  if (remarks.length === 0) return null;
  return (
    <ul aria-label="Not imported" className={classes.remarks ?? ''}>
      {remarks.map(({ file, line, text }, at) => (
        <li key={at}>
          <span className="identifier">
            {file}
            {line > 0 && `, line ${line}`}
          </span>
          : {text}
        </li>
      ))}
    </ul>
  );
}

const vectorsText = (count: number) => `${count} ${count === 1 ? 'test vector' : 'test vectors'}`;

function importedText({ vectors, payloadEncoderScript }: Imported): string {
  const scripts = payloadEncoderScript === '' ? 'a script' : 'two scripts';
  if (vectors.length === 0) return `Imported: ${scripts} without test vectors. Try it in the bench, then save.`;
  return `Imported: ${scripts} and ${vectorsText(vectors.length)}. Run the vectors in the bench, then save.`;
}

/** What the import replaces; null when nothing is lost. */
function replacementOf(codec: BenchCodec, stored: readonly CodecVector[], imported: Imported): string | null {
  const isLost = (now: string, next: string) => now.trim() !== '' && now !== next;
  const losesScript =
    isLost(codec.decoderScript, imported.payloadDecoderScript) ||
    isLost(codec.encoderScript, imported.payloadEncoderScript);
  const losesVectors = stored.length > 0 && imported.vectors.length > 0;
  const lost = [losesScript && 'the scripts', losesVectors && `the ${vectorsText(stored.length)}`].filter(Boolean);
  if (lost.length === 0) return null;
  return `The import replaces ${lost.join(' and ')} of this form. The stored device-profile changes only when you save.`;
}

/** The files so far: a missing one can be added. They are forgotten once they are imported. */
function useImport(codec: BenchCodec, vectors: readonly CodecVector[], onImport: Props['onImport']) {
  const { organizationID } = useIDs();
  const [files, setFiles] = useState<readonly File[]>([]);
  const [isPending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [imported, setImported] = useState<Imported | null>(null);
  const [asked, setAsked] = useState<{ answer: Imported; question: string } | null>(null);

  const clear = () => {
    setFiles([]);
    setFailure(null);
    setImported(null);
  };
  const apply = (answer: Imported) => {
    onImport(answer);
    setFiles([]);
    setImported(answer);
  };

  async function add(added: readonly File[]) {
    if (added.length === 0 || isPending) return;
    const names = new Set(added.map(({ name }) => name));
    const all = [...files.filter(({ name }) => !names.has(name)), ...added];
    clear();
    setFiles(all);
    setPending(true);
    try {
      const answer = await perform(api.codecImport.create({ organizationID, ...(await contentOf(all)) }));
      const question = replacementOf(codec, vectors, answer);
      if (question === null) apply(answer);
      else setAsked({ answer, question });
    } catch (error) {
      setFailure(error);
    } finally {
      setPending(false);
    }
  }

  return {
    files,
    isPending,
    failure,
    imported,
    question: asked?.question ?? null,
    add,
    clear,
    accept: () => asked && apply(asked.answer),
    decline: () => setAsked(null),
  };
}

/** The files as the server reads them. */
async function contentOf(files: readonly File[]): Promise<Pick<InputOf<Import>, 'files' | 'zip'>> {
  const { maxBytes: most = 0 } = factsOf('CreateCodecImportRequest', 'zip');
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size > most) throw new Error(`The files are larger than ${most / 1000} kB. Choose the files of one codec.`);
  const archive = files.find(({ name }) => name.toLowerCase().endsWith('.zip'));
  if (archive && files.length > 1) throw new Error('Choose one ZIP file, or files without a ZIP file.');
  if (archive) return { zip: new Uint8Array(await read(archive, 'arrayBuffer')).toBase64() };
  return {
    files: await Promise.all(files.map(async (file) => ({ name: file.name, text: await read(file, 'text') }))),
  };
}

async function read<Kind extends 'text' | 'arrayBuffer'>(file: File, kind: Kind) {
  try {
    return (await file[kind]()) as Awaited<ReturnType<File[Kind]>>;
  } catch {
    throw new Error(`${file.name} cannot be read. Choose it again.`);
  }
}
