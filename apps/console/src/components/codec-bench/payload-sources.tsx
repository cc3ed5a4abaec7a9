import type { CodecRunInput } from '@hilltop/contract';
import { Group, TextInput } from '@mantine/core';
import { CodeEditor } from '../code-editor/code-editor.tsx';
import { jsonProblem } from '../downlink/json-object.ts';
import { hexProblem, toBytes } from '../downlink/payload.ts';
import classes from './codec-bench.module.css';

/** What a user typed for a run of their own. */
export interface TypedPayload {
  fPort: number | '';
  hex: string;
  json: string;
}

export const emptyPayload: TypedPayload = { fPort: 1, hex: '', json: '{}' };

interface Props {
  value: TypedPayload;
  onChange: (value: TypedPayload) => void;
  onRun: () => void;
}

/** Bytes for the decoder. */
export function BytesSource({ value, onChange, onRun }: Props) {
  const problem = hexProblem(value.hex);
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap" className={classes.typed}>
      <PortInput value={value} onChange={onChange} onRun={onRun} min={1} />
      <TextInput
        label="Bytes in hexadecimal"
        placeholder="01 67 01 10"
        autoComplete="off"
        spellCheck={false}
        className={classes.grow ?? ''}
        classNames={{ input: 'identifier' }}
        value={value.hex}
        error={problem}
        onChange={(event) => onChange({ ...value, hex: event.currentTarget.value })}
        onKeyDown={(event) => runOnEnter(event, onRun)}
      />
    </Group>
  );
}

/** An object for the encoder. */
export function ObjectSource({ value, onChange, onRun }: Props) {
  return (
    <div className={classes.typed}>
      <PortInput value={value} onChange={onChange} onRun={onRun} min={0} />
      <CodeEditor
        label="JSON object"
        language="json"
        height={120}
        value={value.json}
        error={jsonProblem(value.json) ?? undefined}
        onChange={(json) => onChange({ ...value, json })}
      />
    </div>
  );
}

function PortInput({ value, onChange, onRun, min }: Props & { min: number }) {
  return (
    <TextInput
      type="number"
      label="Port"
      w={90}
      min={min}
      max={255}
      step={1}
      value={value.fPort}
      onChange={({ currentTarget: { value: text } }) => onChange({ ...value, fPort: portOf(text, min) })}
      onKeyDown={(event) => runOnEnter(event, onRun)}
    />
  );
}

/** The nearest port to a number; empty for an empty text. */
const portOf = (text: string, min: number): number | '' =>
  text === '' ? '' : Math.min(255, Math.max(min, Math.trunc(Number(text))));

/** Enter would save the form around the bench. */
function runOnEnter(event: { key: string; preventDefault: () => void }, onRun: () => void): void {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  onRun();
}

/** The input of a run; null while it is not valid. */
export function typedInput(kind: 'bytes' | 'object', { fPort, hex, json }: TypedPayload): CodecRunInput | null {
  const shared = { fPort: fPort === '' ? 0 : fPort, receivedAt: null };
  if (kind === 'bytes') {
    const bytes = toBytes('hex', hex);
    return bytes && { ...shared, direction: 'UPLINK', data: bytes.toBase64(), objectJSON: '' };
  }
  return jsonProblem(json) === null ? { ...shared, direction: 'DOWNLINK', data: null, objectJSON: json } : null;
}
