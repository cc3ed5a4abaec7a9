import { Button, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import classes from './form.module.css';
import { type Named, useNamed } from './use-named.ts';

/** What the server returns in place of a stored secret. Sending it back keeps the stored secret. */
const unchanged = '(unchanged)';

/** A secret: hidden while typed; once stored it cannot be read, only replaced. */
export function SecretField(props: Named & { rows?: number }) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>(props);
  const { rows = 1 } = rest;
  const [wasStored] = useState(field.value === unchanged);
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);

  if (field.value === unchanged)
    return (
      <TextInput
        {...labelled}
        value={unchanged}
        readOnly
        rightSectionWidth={88}
        rightSection={
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Replace ${labelled.label}`}
            disabled={labelled.disabled}
            onClick={() => {
              field.onChange('');
              requestAnimationFrame(() => box.current?.focus());
            }}
          >
            Replace
          </Button>
        }
      />
    );

  const keep = wasStored && (
    <Button
      size="compact-xs"
      variant="subtle"
      mt={4}
      aria-label={`Keep the stored one: ${labelled.label}`}
      onClick={() => field.onChange(unchanged)}
    >
      Keep the stored one
    </Button>
  );
  const value = field.value ?? '';
  return (
    <div>
      {rows > 1 ? (
        <SecretText ref={box} {...labelled} rows={rows} value={value} onType={field.onChange} />
      ) : (
        <PasswordInput
          ref={box}
          {...labelled}
          aria-invalid={labelled.error !== undefined || undefined}
          autoComplete="off"
          visibilityToggleFocusable
          visibilityToggleButtonProps={{ 'aria-label': `Show ${labelled.label}` }}
          value={value}
          onChange={(event) => field.onChange(event.currentTarget.value)}
        />
      )}
      {keep}
    </div>
  );
}

type TextProps = Omit<Parameters<typeof Textarea>[0], 'onChange'> & { onType: (text: string) => void };

/** A secret of several lines. */
function SecretText({ onType, ...rest }: TextProps) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      <Textarea
        {...rest}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: isShown ? (classes.code ?? '') : `${classes.code} ${classes.hidden}` }}
        onChange={(event) => onType(event.currentTarget.value)}
      />
      <Button size="compact-xs" variant="subtle" mt={4} aria-pressed={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide the text' : 'Show the text'}
      </Button>
    </>
  );
}
