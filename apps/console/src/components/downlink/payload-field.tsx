import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { TextField } from '../form/text-fields.tsx';
import type { MessageFormState } from '../form/use-message-form.ts';
import classes from './downlink.module.css';
import {
  base64Problem,
  describeBytes,
  fromBytes,
  hexProblem,
  isHex,
  type PayloadFormat,
  type PayloadRoom,
  toBytes,
} from './payload.ts';

/** The bytes of a downlink as text in one of two formats. */
export interface PayloadText {
  format: PayloadFormat;
  text: string;
  /** The text is hexadecimal, too, and nobody has said which bytes are meant. */
  isUnsure: boolean;
  /** The bytes, or null while the text is not in the format. */
  bytes: Uint8Array | null;
  /** Shows the same bytes in another format. Text that may be meant so already stays as it is. */
  show: (format: PayloadFormat) => void;
  /** Replaces the bytes. */
  replace: (format: PayloadFormat, bytes: Uint8Array) => void;
  /** The text is meant as base64. */
  confirm: () => void;
}

/** The field `data` of a form as text in hex or base64. */
export function usePayloadText(
  form: Pick<MessageFormState<{ data: string }>, 'values' | 'set'>,
  first: PayloadFormat = 'base64',
): PayloadText {
  const [format, setFormat] = useState<PayloadFormat>(first);
  const [confirmed, setConfirmed] = useState<string>();
  const text = form.values.data.trim();
  const isUnsure = format === 'base64' && isHex(text) && base64Problem(text) === null && confirmed !== text;
  const bytes = toBytes(format, text);
  const replace = (next: PayloadFormat, content: Uint8Array) => {
    const written = fromBytes(next, content);
    setFormat(next);
    // It was bytes before it was text: nobody has to be asked.
    setConfirmed(written);
    form.set('data', written);
  };
  return {
    format,
    text,
    isUnsure,
    bytes,
    show: (next) => {
      if (next === format) return;
      if (bytes && !isUnsure) replace(next, bytes);
      else setFormat(next);
    },
    replace,
    confirm: () => setConfirmed(text),
  };
}

const names = { hex: 'Hexadecimal payload', base64: undefined } as const;

interface FieldProps {
  payload: PayloadText;
  required?: boolean;
  /** Undefined where it is unknown. */
  room?: PayloadRoom | undefined;
}

/** The field of the bytes. Its help is the bytes that will be sent; below it stands the question which are meant. */
export function PayloadField({ payload, required = false, room }: FieldProps) {
  const { format, text, isUnsure, bytes } = payload;
  const label = names[format];
  return (
    <div>
      <TextField
        name="data"
        {...(label && { label })}
        {...(text !== '' && bytes && !isUnsure && { help: describeBytes(bytes, undefined, room) })}
        required={required}
        autoComplete="off"
        validate={() => {
          if (isUnsure) return 'This is hexadecimal, too. Choose below which bytes you mean.';
          if (room && bytes && bytes.length > room.mostBytes)
            return `Enter at most ${room.mostBytes} bytes: more do not fit at DR${room.dr}, the data-rate of the last uplink.`;
          return format === 'hex' ? hexProblem(text) : base64Problem(text);
        }}
      />
      {isUnsure && (
        <div className={classes.bytes}>
          <WhichBytes payload={payload} />
        </div>
      )}
    </div>
  );
}

/** Both buttons fit in one row. */
const mostOffered = 6;

function WhichBytes({ payload: { text, replace, confirm } }: { payload: PayloadText }) {
  const asHex = toBytes('hex', text)!;
  const asBase64 = toBytes('base64', text)!;
  return (
    <Group gap="xs" role="group" aria-label="Hexadecimal or base64">
      <Button size="compact-xs" variant="default" onClick={() => replace('hex', asHex)}>
        Hex, {describeBytes(asHex, mostOffered)}
      </Button>
      <Button size="compact-xs" variant="default" onClick={confirm}>
        Base64, {describeBytes(asBase64, mostOffered)}
      </Button>
    </Group>
  );
}
