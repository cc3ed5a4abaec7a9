/** Reads the files of one codec: a script alone, or with the tests of ChirpStack 4 or The Things Network beside it. */
import { parseDocument } from 'yaml';
import { type FileProblem, type FileSet, type ImportedCodec, UnusableFiles } from './catalogue-types.ts';
import { longestScript } from './scripts.ts';
import { isObject, mostVectors, type ReadVectors, readTestFile, vectorsOf } from './vectors.ts';

type Json = Readonly<Record<string, unknown>>;

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** Throws UnusableFiles when there is not exactly one codec. */
export function readCodecFiles({ files, problems: skipped }: FileSet): ImportedCodec {
  const texts = new Map([...files].map(([path, bytes]) => [nameOf(path), new TextDecoder().decode(bytes)] as const));
  const remarks: FileProblem[] = [...skipped];
  const scripts = [...texts.keys()].filter((name) => name.endsWith('.js'));
  const described = [...texts.keys()]
    .filter((name) => /\.ya?ml$/.test(name))
    .flatMap((name) => readYAML(name, texts.get(name)!, remarks));
  const description = described.find((one) => isObject(one.content['uplinkDecoder']));
  const decoderName = description ? fileNameIn(description.content, 'uplinkDecoder') : onlyOf(scripts, skipped);
  const decoder = scriptOf(texts, decoderName);
  const encoderName = (description && fileNameIn(description.content, 'downlinkEncoder')) ?? decoderName;
  const encoder = encoderName === decoderName ? '' : scriptOf(texts, encoderName);
  const read = description ? vectorsOfDescription(description) : vectorsBeside(texts, decoderName, remarks);
  for (const { problems } of read) remarks.push(...problems);
  const vectors = read.flatMap((one) => one.vectors);
  if (vectors.length > mostVectors)
    remarks.push({
      file: decoderName,
      line: 0,
      text: `Only the first ${mostVectors} of ${vectors.length} tests are kept.`,
    });
  return {
    payloadDecoderScript: decoder,
    payloadEncoderScript: encoder,
    vectors: vectors.slice(0, mostVectors),
    remarks,
  };
}

function onlyOf(scripts: readonly string[], skipped: readonly FileProblem[]): string {
  const [only, second] = scripts;
  if (only === undefined) {
    const problem = skipped.find(({ file }) => file.endsWith('.js'));
    throw new UnusableFiles(
      problem
        ? `The script ${nameOf(problem.file).slice(0, 100)} cannot be used. ${problem.text}`
        : 'There is no script. Add the .js file of the codec.',
    );
  }
  if (second !== undefined)
    throw new UnusableFiles(
      `There are several scripts: ${scripts.slice(0, 5).join(', ')}. Add the files of one codec only.`,
    );
  return only;
}

function scriptOf(texts: ReadonlyMap<string, string>, name: string): string {
  const script = texts.get(name);
  if (script === undefined) throw new UnusableFiles(`The script ${name.slice(0, 100)} is missing. Add it as well.`);
  if (script.length > longestScript)
    throw new UnusableFiles(`The script ${name.slice(0, 100)} is longer than ${longestScript} characters.`);
  return script;
}

/** The tests of the layout of ChirpStack 4. */
function vectorsBeside(texts: ReadonlyMap<string, string>, scriptName: string, remarks: FileProblem[]): ReadVectors[] {
  const base = scriptName.replace(/\.js$/, '');
  const kinds = [
    ['test_decode_', 'UPLINK'],
    ['test_encode_', 'DOWNLINK'],
  ] as const;
  for (const name of texts.keys())
    if (name.endsWith('.json') && !kinds.some(([prefix]) => name === `${prefix}${base}.json`))
      remarks.push({ file: name, line: 0, text: `Not used: tests of ${scriptName} are in test_decode_${base}.json.` });
  return kinds.flatMap(([prefix, direction]) => {
    const name = `${prefix}${base}.json`;
    const text = texts.get(name);
    return text === undefined ? [] : [readTestFile(name, text, direction)];
  });
}

interface Description {
  file: string;
  content: Json;
}

function readYAML(file: string, text: string, remarks: FileProblem[]): Description[] {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    // The parser recurses, and reports the end of its stack as an error of the file.
    const isDeep = error.message.includes('call stack');
    const [sentence = ''] = isDeep ? ['it nests too deeply'] : error.message.split(' at line');
    remarks.push({ file, line: error.linePos?.[0].line ?? 0, text: `The file is not valid YAML: ${sentence}.` });
    return [];
  }
  try {
    const content: unknown = document.toJS({ maxAliasCount: 100 });
    return isObject(content) ? [{ file, content }] : [];
  } catch {
    remarks.push({ file, line: 0, text: 'The file has too many references.' });
    return [];
  }
}

function partOf(content: Json, key: string): Json {
  const part = content[key];
  return isObject(part) ? part : {};
}

function fileNameIn(content: Json, key: string): string {
  const { fileName } = partOf(content, key);
  if (typeof fileName === 'string') return nameOf(fileName);
  return fileNameIn(content, 'uplinkDecoder');
}

/** The examples of the layout of The Things Network. */
function vectorsOfDescription({ file, content }: Description): ReadVectors[] {
  const examplesOf = (key: string) => {
    const { examples } = partOf(content, key);
    return (Array.isArray(examples) ? (examples as unknown[]) : []).filter(isObject);
  };
  const toTests = (key: string) =>
    examplesOf(key).map((example) => ({
      name: example['description'],
      input: example['input'],
      result: example['output'],
    }));
  return [vectorsOf(file, toTests('uplinkDecoder'), 'UPLINK'), vectorsOf(file, toTests('downlinkEncoder'), 'DOWNLINK')];
}
