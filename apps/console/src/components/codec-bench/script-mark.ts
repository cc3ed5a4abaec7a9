import type { CodecRunResult } from '@hilltop/contract';
import { ApiError } from '../../api/client.ts';
import type { EditorMark } from '../code-editor/editor-mark.ts';

type Script = 'DECODER' | 'ENCODER';

/** The line of an error, in one of the two scripts of a codec. */
export type ScriptMark = EditorMark & { script: Script };

export const markOfResult = ({ script, line, column }: CodecRunResult): ScriptMark => ({
  script: script === 'ENCODER' ? 'ENCODER' : 'DECODER',
  line,
  column,
});

/** The line for which the server refused to save a script; null for every other error. */
export function markOfRefusal(error: unknown): ScriptMark | null {
  if (!(error instanceof ApiError) || error.reason !== 'INVALID_SCRIPT') return null;
  const isEncoder = error.fieldViolations.some(({ field }) => field.endsWith('payloadEncoderScript'));
  const { line, column } = error.metadata;
  return { script: isEncoder ? 'ENCODER' : 'DECODER', line: Number(line), column: Number(column), focus: true };
}
