import type { CodecRunResult, CodecVector } from '@hilltop/contract';
import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { toast } from '../../components/toast/toast.ts';
import { renderPage } from '../../testing/render.tsx';
import { DeviceProfileForm } from './device-profile-form.tsx';
import { emptyDeviceProfile } from './device-profile-values.ts';

interface Call {
  decoderScript: string;
  variables: object;
  runs: { direction: string; fPort: number; data: string | null; objectJSON: string }[];
}

const { calls, answers, isOffered, Refusal } = vi.hoisted(() => ({
  Refusal: class extends Error {
    code = 3;
    reason = 'INVALID_SCRIPT';
    metadata = { line: '2', column: '15' };
    fieldViolations = [{ field: 'deviceProfile.payloadEncoderScript', description: 'It has an error in line 2.' }];
  },
  isOffered: async () => true,
  calls: {
    create: vi.fn(async (_call: Call): Promise<{ results: Partial<CodecRunResult>[] }> => ({ results: [] })),
    read: vi.fn(async (_call: object): Promise<object> => ({})),
    replace: vi.fn(async (_call: object) => ({})),
  },
  answers: {} as { vectors: Partial<CodecVector>[]; uplinks: object[] },
}));
vi.mock('../../session/session.tsx', () => ({ useMay: () => () => true }));
vi.mock('../../api/client.ts', () => ({
  ApiError: Refusal,
  fieldsOf: ({ fieldViolations }: InstanceType<typeof Refusal>) =>
    Object.fromEntries(fieldViolations.map(({ field, description }) => [field, description])),
  api: {
    codecRun: { create: Object.assign((call: Call) => calls.create(call), { isOffered }) },
    codecImport: { create: Object.assign((call: object) => calls.read(call), { isOffered }) },
    codecVector: { replace: calls.replace, list: { isOffered } },
  },
}));
vi.mock('../../api/queries.ts', () => ({
  perform: async (call: Promise<unknown>) => call,
  query: (resource: string, ...rest: unknown[]) => ({
    queryKey: [resource, ...rest],
    queryFn: async () => ({
      totalCount: '1',
      result: resource === 'profileUplink' ? answers.uplinks : [{ id: '3', name: 'eu868' }],
      vectors: answers.vectors,
      adrAlgorithms: [{ id: 'default', name: 'Default' }],
      deviceProfile: emptyDeviceProfile,
    }),
  }),
}));
// CodeMirror measures text, which the DOM of the tests cannot.
vi.mock('../../components/code-editor/code-editor.tsx', () => ({
  CodeEditor: (props: {
    label: string;
    value: string;
    error?: string;
    mark?: { line: number; focus?: boolean } | null;
    onChange: (value: string) => void;
  }) => (
    <textarea
      aria-label={props.label}
      title={props.error}
      value={props.value}
      data-marked={props.mark?.line}
      data-focused={props.mark?.focus}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    />
  ),
}));

const usual: CodecRunResult = {
  function: 'Decode',
  objectJSON: '{"level":42}',
  data: null,
  fPort: 1,
  warnings: [],
  errors: [],
  quantitiesJSON: '',
  console: [],
  error: '',
  script: '',
  line: 0,
  column: 0,
  ms: 0.4,
};
const vector: CodecVector = {
  name: 'full',
  direction: 'UPLINK',
  fPort: 1,
  data: 'Kg==',
  objectJSON: '{"level":42}',
  errors: [],
  receivedAt: null,
};
const uplink = {
  devEUI: '0a',
  deviceName: 'tank-1',
  publishedAt: '2026-11-27T00:00:00Z',
  fCnt: 7,
  fPort: 1,
  data: 'Kg==',
};
const script = 'function Decode(fPort, bytes) { return { level: bytes[0] }; }';

const profile = {
  ...emptyDeviceProfile,
  id: 'p1',
  name: 'tank',
  networkServerID: '3',
  macVersion: '1.0.3',
  regParamsRevision: 'A',
  payloadCodec: 'CUSTOM_JS',
};

beforeEach(() => {
  vi.clearAllMocks();
  vi.spyOn(toast, 'attention');
  answers.vectors = [];
  answers.uplinks = [];
  calls.create.mockImplementation(async ({ runs }) => ({ results: runs.map(() => usual) }));
});

async function open(saved = script) {
  const onSubmit = vi.fn(async () => ({}));
  await renderPage(
    <DeviceProfileForm
      initial={{ ...profile, payloadDecoderScript: saved }}
      submit="Update device-profile"
      onSubmit={onSubmit}
      onSaved={() => {}}
    />,
    '/organizations/1/device-profiles/p1',
  );
  const user = userEvent.setup();
  await user.click(screen.getByRole('tab', { name: 'Codec' }));
  const bench = within(await screen.findByRole('region', { name: 'Codec bench' }));
  const run = () => user.click(bench.getByRole('button', { name: 'Run' }));
  const save = () => user.click(screen.getByRole('button', { name: 'Update device-profile' }));
  return { user, bench, run, save, onSubmit };
}

describe('the codec bench', () => {
  it('runs the unsaved script on the last uplinks and shows what differs from the stored events', async () => {
    answers.uplinks = [
      { ...uplink, objectJSON: '{"level":40}' },
      { ...uplink, fCnt: 6, objectJSON: '{"level":42}' },
    ];
    const { user, bench, run } = await open();
    await user.type(screen.getByRole('textbox', { name: /decoder/i }), '//');
    await bench.findAllByRole('radio');
    await run();
    expect(calls.create.mock.lastCall![0]).toMatchObject({ decoderScript: `${script}//`, variables: {} });
    expect(await bench.findByText('as stored')).toBeDefined();
    const row = within(bench.getByRole('table')).getByRole('row', { name: /level/ });
    expect(row.textContent).toBe('level4042');
  });

  it('runs with Ctrl+Enter in the editor, marks the line of an error and goes there', async () => {
    calls.create.mockResolvedValue({
      results: [{ ...usual, function: 'Decode', error: 'x is not defined', script: 'DECODER', line: 1, column: 9 }],
    });
    const { user, bench } = await open();
    await user.type(bench.getByRole('textbox', { name: 'Bytes in hexadecimal' }), '2a');
    const editor = screen.getByRole('textbox', { name: /decoder/i });
    await user.click(editor);
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(await bench.findByText('x is not defined')).toBeDefined();
    expect(editor.dataset['marked']).toBe('1');
    await user.click(bench.getByRole('button', { name: 'Go to line 1 of the decoder' }));
    expect(editor.dataset['focused']).toBe('true');
    expect(calls.create.mock.lastCall![0].runs).toEqual([
      { direction: 'UPLINK', fPort: 1, data: 'Kg==', objectJSON: '', receivedAt: null },
    ]);
  });

  it('runs bytes with Enter and does not save the form', async () => {
    const { user, bench, onSubmit } = await open();
    await user.type(bench.getByRole('textbox', { name: 'Bytes in hexadecimal' }), '2a{Enter}');
    expect(await bench.findByText('42')).toBeDefined();
    expect(onSubmit).not.toHaveBeenCalled();
  });

  it('shows the unit of a decoded number beside it', async () => {
    const quantitiesJSON = '{"level":{"quantity":"percentage","unit":"%"}}';
    calls.create.mockResolvedValue({ results: [{ ...usual, quantitiesJSON }] });
    const { bench, run } = await open();
    await run();
    expect((await bench.findByRole('treeitem')).textContent).toBe('level42 %');
  });

  it('says that a result is older than the script', async () => {
    const { user, bench, run } = await open();
    await run();
    expect(await bench.findByText('42')).toBeDefined();
    expect(bench.queryByText('before your last change')).toBeNull();
    await user.type(screen.getByRole('textbox', { name: /decoder/i }), '//');
    expect(bench.getByText('before your last change')).toBeDefined();
  });

  it('shows the bytes and the port of an encoded object', async () => {
    calls.create.mockResolvedValue({ results: [{ ...usual, function: 'encodeDownlink', data: 'AQI=', fPort: 7 }] });
    const { user, bench, run } = await open();
    await user.click(bench.getByRole('tab', { name: 'JSON object' }));
    await run();
    expect(await bench.findByText('0102')).toBeDefined();
    expect(bench.getAllByText('encodeDownlink')).toHaveLength(2);
    expect(calls.create.mock.lastCall![0].runs[0]).toMatchObject({ direction: 'DOWNLINK', objectJSON: '{}' });
  });

  it('saves a result as vector together with the profile', async () => {
    const { user, bench, run, save, onSubmit } = await open();
    await user.type(bench.getByRole('textbox', { name: 'Bytes in hexadecimal' }), '2a');
    await run();
    await user.click(await bench.findByRole('button', { name: 'Save as vector' }));
    expect(calls.replace).not.toHaveBeenCalled();
    await save();
    expect(onSubmit).toHaveBeenCalled();
    expect(calls.replace).toHaveBeenCalledWith({ deviceProfileID: 'p1', vectors: [{ ...vector, name: '2a' }] });
  });

  it('counts the vectors that pass', async () => {
    answers.vectors = [vector, { ...vector, name: 'empty', objectJSON: '{"level":0}' }];
    const { user, bench, run } = await open();
    await user.click(await bench.findByRole('tab', { name: 'Test vectors (2)' }));
    await run();
    expect(await bench.findByRole('tab', { name: 'Test vectors (1 of 2 pass)' })).toBeDefined();
    await user.click(bench.getByRole('radio', { name: /empty/ }));
    await user.click(bench.getByRole('button', { name: 'Expect this result' }));
    expect(bench.getByRole('tab', { name: 'Test vectors (2 of 2 pass)' })).toBeDefined();
  });

  it('asks before it saves a script that fails vectors, and saves nothing when the user declines', async () => {
    answers.vectors = [vector, { ...vector, name: 'empty', objectJSON: '{"level":0}' }];
    const { user, bench, save, onSubmit } = await open();
    await bench.findByRole('tab', { name: 'Test vectors (2)' });
    await user.type(screen.getByRole('textbox', { name: /decoder/i }), '//');
    await save();
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText('1 of 2 vectors fail. Save anyway?')).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(await screen.findByText(/Not saved. 1 of 2 vectors fail./)).toBeDefined();
    expect(onSubmit).not.toHaveBeenCalled();
    await save();
    await user.click(await screen.findByRole('button', { name: 'Save anyway' }));
    await vi.waitFor(() => expect(onSubmit).toHaveBeenCalled());
  });

  it('runs the vectors before saving with the variables that are typed in the bench', async () => {
    answers.vectors = [vector];
    const { user, bench, save, onSubmit } = await open();
    await bench.findByRole('tab', { name: 'Test vectors (1)' });
    await user.click(bench.getByText('Variables of the device'));
    await user.click(bench.getByRole('button', { name: 'Add variable' }));
    await user.type(bench.getByRole('textbox', { name: 'Name of variable 1' }), 'offset');
    await user.type(bench.getByRole('textbox', { name: 'Value of variable 1' }), '4');
    await user.type(screen.getByRole('textbox', { name: /decoder/i }), '//');
    await save();
    await vi.waitFor(() => expect(onSubmit).toHaveBeenCalled());
    expect(calls.create.mock.lastCall![0]).toMatchObject({ variables: { offset: '4' }, runs: [{ data: 'Kg==' }] });
  });

  it('warns when it saves a codec that failed on every last uplink, and runs nothing for that', async () => {
    answers.uplinks = [uplink, { ...uplink, fCnt: 6 }];
    const failed = { ...usual, error: 'x is not defined', script: 'DECODER', line: 1 };
    const { user, bench, run, save } = await open();
    const decoder = screen.getByRole('textbox', { name: /decoder/i });
    await user.type(decoder, 'a');
    calls.create.mockResolvedValueOnce({ results: [usual, failed] });
    await bench.findAllByRole('radio');
    await run();
    await save();
    expect(toast.attention).not.toHaveBeenCalled();
    await user.type(decoder, 'b');
    calls.create.mockResolvedValueOnce({ results: [failed, failed] });
    await run();
    await save();
    expect(toast.attention).toHaveBeenCalledExactlyOnceWith(
      'The saved decoder fails on 2 of 2 last uplinks: their devices have no values.',
    );
    await user.type(decoder, 'c');
    await save();
    expect(toast.attention).toHaveBeenCalledTimes(1);
    expect(calls.create).toHaveBeenCalledTimes(2);
  });

  it('marks the line for which the server refuses a script, until it is saved again', async () => {
    const { save, onSubmit } = await open();
    const encoder = screen.getByRole('textbox', { name: /encoder/i });
    onSubmit.mockRejectedValueOnce(new Refusal());
    await save();
    await vi.waitFor(() => expect(encoder.dataset['marked']).toBe('2'));
    expect(encoder.dataset['focused']).toBe('true');
    expect(encoder.title).toBe('It has an error in line 2. (code: 3)');
    await save();
    await vi.waitFor(() => expect(encoder.dataset['marked']).toBeUndefined());
  });

  it('does not run vectors when neither the codec nor they have changed', async () => {
    answers.vectors = [vector];
    const { bench, save, onSubmit } = await open();
    await bench.findByRole('tab', { name: 'Test vectors (1)' });
    await save();
    await vi.waitFor(() => expect(onSubmit).toHaveBeenCalled());
    expect(calls.create).not.toHaveBeenCalled();
  });
});

describe('the import of vendor files', () => {
  const imported = {
    payloadDecoderScript: 'function decodeUplink() {}',
    payloadEncoderScript: '',
    vectors: [vector],
    remarks: [{ file: 'tank.yaml', line: 3, text: 'The file is not valid YAML.' }],
  };
  const files = [new File(['function decodeUplink() {}'], 'tank.js'), new File(['a: :'], 'tank.yaml')];
  const decoder = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /decoder/i });
  const section = async () => within(await screen.findByRole('region', { name: 'Import the files of a vendor' }));

  beforeEach(() => calls.read.mockResolvedValue(imported));

  it('fills scripts and vectors of the unsaved form and says what was not used, with file and line', async () => {
    const { user, save, onSubmit } = await open('');
    const importer = await section();
    await user.upload(importer.getByLabelText('Choose codec files', { selector: 'input' }), files);
    expect(await importer.findByText(/^Imported: a script and 1 test vector/)).toBeDefined();
    expect(calls.read).toHaveBeenCalledWith({
      organizationID: '',
      files: [
        { name: 'tank.js', text: 'function decodeUplink() {}' },
        { name: 'tank.yaml', text: 'a: :' },
      ],
    });
    expect(decoder().value).toBe(imported.payloadDecoderScript);
    expect(importer.getByRole('listitem').textContent).toBe('tank.yaml, line 3: The file is not valid YAML.');
    await save();
    await vi.waitFor(() => expect(calls.replace).toHaveBeenCalledWith({ deviceProfileID: 'p1', vectors: [vector] }));
    expect(onSubmit).toHaveBeenCalledWith(expect.objectContaining({ payloadDecoderScript: decoder().value }));
  });

  it('asks before it replaces scripts, and changes nothing when the user declines', async () => {
    const { user } = await open();
    const importer = await section();
    const drop = () => fireEvent.drop(importer.getByText(/Drop or paste/), { dataTransfer: { files } });
    drop();
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(/The import replaces the scripts of this form/)).toBeDefined();
    await user.click(dialog.getByRole('button', { name: 'Cancel' }));
    expect(decoder().value).toBe(script);
    drop();
    await user.click(await screen.findByRole('button', { name: 'Replace' }));
    await vi.waitFor(() => expect(decoder().value).toBe(imported.payloadDecoderScript));
  });

  it('shows why files cannot be used and reads them again with a file that is added, or as a pasted script', async () => {
    const { user } = await open('');
    const importer = await section();
    calls.read.mockRejectedValueOnce(new Error('The script tank.js is missing. Add it as well.'));
    const input = importer.getByLabelText('Choose codec files', { selector: 'input' });
    await user.upload(input, files[1]!);
    expect(await importer.findByText('The script tank.js is missing. Add it as well.')).toBeDefined();
    expect(importer.getByText('Files: tank.yaml')).toBeDefined();
    await user.upload(input, files[0]!);
    expect(await importer.findByText(/^Imported/)).toBeDefined();
    expect(calls.read.mock.lastCall![0]).toMatchObject({ files: [{ name: 'tank.yaml' }, { name: 'tank.js' }] });
    const clipboardData = { files: [], getData: () => 'function Decode() {}' };
    fireEvent.paste(importer.getByText(/Drop or paste/), { clipboardData });
    const pasted = [{ name: 'pasted.js', text: 'function Decode() {}' }];
    await vi.waitFor(() => expect(calls.read.mock.lastCall![0]).toMatchObject({ files: pasted }));
  });

  it('sends a ZIP file, and no file that is too large', async () => {
    const { user } = await open('');
    const importer = await section();
    const input = importer.getByLabelText('Choose codec files', { selector: 'input' });
    await user.upload(input, new File([new Uint8Array(700_001)], 'large.zip'));
    expect(await importer.findByText('The files are larger than 700 kB. Choose the files of one codec.')).toBeDefined();
    expect(calls.read).not.toHaveBeenCalled();
    await user.click(importer.getByRole('button', { name: 'Start over' }));
    await user.upload(input, new File(['PK'], 'tank.zip'));
    expect(await importer.findByText(/^Imported/)).toBeDefined();
    expect(calls.read).toHaveBeenCalledWith({ organizationID: '', zip: 'UEs=' });
  });
});
