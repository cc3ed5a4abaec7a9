import {
  type CodecRunInput,
  type CodecRunResult,
  type CodecVector,
  type ProfileUplink,
  vectorProblem,
} from '@hilltop/contract';
import { formatTime } from '../last-seen/dates.ts';
import { parsedJson } from '../live-log/identifiers.ts';
import { type Difference, differencesOf } from './differences.ts';

/** The codec in the form, saved or not. */
export interface BenchCodec {
  codec: string;
  decoderScript: string;
  encoderScript: string;
}

/** One input of the bench, and what its result is compared with. */
export interface BenchCase {
  key: string;
  title: string;
  /** When it was received. */
  time?: string;
  /** The suggested name of a vector with this input. */
  vectorName: string;
  input: CodecRunInput;
  /** The object of the stored event; empty when it was not decoded. */
  storedJSON?: string;
  vector?: CodecVector;
}

type Outcome = 'passed' | 'same' | 'changed' | 'ran' | 'failed';

/** What a result says about its case, with the members that differ. */
export interface Verdict {
  outcome: Outcome;
  text: string;
  differences: Difference[];
}

export const outcomeTones = {
  passed: 'active',
  same: 'active',
  ran: 'active',
  changed: 'attention',
  failed: 'inactive',
} as const satisfies Record<Outcome, string>;

export const hexOf = (data: string | null): string => (data ? Uint8Array.fromBase64(data).toHex() : '');

export function caseOfUplink(uplink: ProfileUplink): BenchCase {
  const { devEUI, deviceName, publishedAt, fCnt, fPort, data, objectJSON } = uplink;
  return {
    key: `${devEUI} ${publishedAt} ${fCnt}`,
    title: deviceName,
    time: publishedAt ? formatTime(publishedAt) : '',
    vectorName: `${deviceName}, port ${fPort}`,
    input: { direction: 'UPLINK', fPort, data, objectJSON: '', receivedAt: publishedAt },
    storedJSON: objectJSON,
  };
}

export function caseOfVector(vector: CodecVector, at: number): BenchCase {
  const { name, direction, fPort, data, objectJSON, receivedAt } = vector;
  const payload = direction === 'UPLINK' ? { data, objectJSON: '' } : { data: null, objectJSON };
  return {
    key: `vector ${at}`,
    title: name,
    vectorName: name,
    input: { direction, fPort, ...payload, receivedAt },
    vector,
  };
}

/** The vector that expects this result. */
export function vectorOf(name: string, input: CodecRunInput, result: CodecRunResult): CodecVector {
  const { direction, receivedAt } = input;
  const isUplink = direction === 'UPLINK';
  const hasErrors = result.errors.length > 0;
  return {
    name,
    direction,
    fPort: isUplink ? input.fPort : result.fPort,
    data: isUplink ? input.data : hasErrors ? null : result.data,
    objectJSON: isUplink ? (hasErrors ? '' : result.objectJSON) : input.objectJSON,
    errors: result.errors,
    receivedAt,
  };
}

/** Whether a vector can expect the result: an object, bytes, or errors that the codec returned. */
export const isRepeatable = ({ error, errors }: CodecRunResult): boolean => error === '' || errors.length > 0;

export function verdictOf(one: BenchCase, result: CodecRunResult): Verdict {
  const { vector, storedJSON } = one;
  if (vector) return vectorVerdict(vector, result);
  if (result.error !== '') return { outcome: 'failed', text: 'error', differences: [] };
  if (!storedJSON) return { outcome: 'ran', text: storedJSON === '' ? 'decodes now' : 'ran', differences: [] };
  const differences = differencesOf(parsedJson(storedJSON), parsedJson(result.objectJSON));
  if (differences.length === 0) return { outcome: 'same', text: 'as stored', differences };
  return { outcome: 'changed', text: 'differs', differences };
}

function vectorVerdict(vector: CodecVector, result: CodecRunResult): Verdict {
  const problem = vectorProblem(vector, result);
  if (problem === '') return { outcome: 'passed', text: 'passes', differences: [] };
  const isComparable = result.error === '' && vector.errors.length === 0;
  const differences =
    isComparable && vector.direction === 'UPLINK'
      ? differencesOf(parsedJson(vector.objectJSON), parsedJson(result.objectJSON))
      : isComparable
        ? differencesOf(
            { bytes: hexOf(vector.data), ...(vector.fPort !== 0 && { fPort: vector.fPort }) },
            { bytes: hexOf(result.data), ...(vector.fPort !== 0 && { fPort: result.fPort }) },
          )
        : [];
  return { outcome: 'failed', text: result.error === '' ? 'fails' : 'error', differences };
}
