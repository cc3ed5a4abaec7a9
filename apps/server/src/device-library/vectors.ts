import type { CodecVector } from '@hilltop/contract';
import type { FileProblem } from './catalogue-types.ts';
import { LenientJSONError, parseLenientJSON } from './lenient-json.ts';

export const mostVectors = 200;
const mostBytes = 1024;
const longestObject = 65_536;
const longestName = 200;
const mostErrors = 10;
const longestError = 1024;

type Direction = CodecVector['direction'];
type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text or number as text; anything else as the text given. */
export const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;

/** Test vectors, and those that cannot be used. */
export interface ReadVectors {
  vectors: readonly CodecVector[];
  problems: readonly FileProblem[];
}

/** The vectors of a file `test_decode_x.json` or `test_encode_x.json`. */
export function readTestFile(file: string, text: string, direction: Direction): ReadVectors {
  let list: unknown;
  try {
    list = parseLenientJSON(text);
  } catch (error) {
    if (!(error instanceof LenientJSONError)) throw error;
    return { vectors: [], problems: [{ file, line: error.line, text: `The file ${error.message}.` }] };
  }
  if (!Array.isArray(list))
    return { vectors: [], problems: [{ file, line: 1, text: 'The file is not a list of tests.' }] };
  return vectorsOf(
    file,
    list.map((test) => ({ ...(isObject(test) && test), result: isObject(test) ? test['expected'] : undefined })),
    direction,
  );
}

/** The vectors of tests with `name`, `input` and `result`. */
export function vectorsOf(file: string, tests: readonly Json[], direction: Direction): ReadVectors {
  const vectors: CodecVector[] = [];
  const problems: FileProblem[] = [];
  tests.forEach((test, index) => {
    const name = cleanName(test['name']) || `Test ${index + 1}`;
    const vector =
      vectors.length < mostVectors ? toVector(test, name, direction) : `There are more than ${mostVectors}.`;
    if (typeof vector === 'string') problems.push({ file, line: 0, text: `Test "${name}" is skipped: ${vector}` });
    else vectors.push(vector);
  });
  return { vectors, problems };
}

const cleanName = (name: unknown) =>
  typeof name === 'string'
    ? name
        .replace(/[\p{Cc}]+/gu, ' ')
        .trim()
        .slice(0, longestName)
    : '';

/** A vector, or why there is none. */
function toVector(test: Json, name: string, direction: Direction): CodecVector | string {
  const { input, result } = test;
  if (!isObject(input)) return 'it has no input.';
  if (!isObject(result)) return 'it has no expected result.';
  const [coded, decoded] = direction === 'UPLINK' ? [input, result] : [result, input];
  const errors = errorsOf(result);
  const data = bytesOf(coded['bytes']);
  if (data === undefined && !(direction === 'DOWNLINK' && errors.length > 0))
    return `its bytes are not a list of at most ${mostBytes} numbers from 0 to 255.`;
  const objectJSON = 'data' in decoded ? JSON.stringify(decoded['data']) : '';
  if (objectJSON === '' && errors.length === 0) return 'it has no data.';
  if (objectJSON.length > longestObject) return `its data is longer than ${longestObject} characters.`;
  const fPort = coded['fPort'] ?? input['fPort'] ?? 0;
  if (!Number.isInteger(fPort) || (fPort as number) < 0 || (fPort as number) > 255) return 'its fPort is not a port.';
  const receivedAt = timeOf(input['recvTime']);
  return { name, direction, fPort: fPort as number, data: data ?? null, objectJSON, errors, receivedAt };
}

function errorsOf(result: Json): string[] {
  const errors = Array.isArray(result['errors']) ? (result['errors'] as unknown[]) : [];
  return errors.slice(0, mostErrors).map((error) => String(error).slice(0, longestError));
}

/** Base64; null for no bytes. Undefined when these are not bytes. */
function bytesOf(value: unknown): string | null | undefined {
  const isByte = (one: unknown) => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255;
  if (!Array.isArray(value) || value.length > mostBytes || !value.every(isByte)) return undefined;
  return value.length === 0 ? null : Buffer.from(value as number[]).toString('base64');
}

function timeOf(value: unknown): string | null {
  const time = value instanceof Date ? value : new Date(typeof value === 'string' ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
