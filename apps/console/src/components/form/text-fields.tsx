import { PasswordInput, TextInput, type TextInputProps } from '@mantine/core';
import { type Named, useNamed } from './use-named.ts';

export function TextField(
  props: Named &
    Pick<TextInputProps, 'type' | 'placeholder' | 'autoComplete' | 'autoFocus' | 'inputMode' | 'rightSection'>,
) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>({ trim: true, ...props });
  return (
    <TextInput
      {...labelled}
      {...rest}
      value={field.value ?? ''}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}

export function PasswordField(props: Named & Pick<TextInputProps, 'autoComplete'> & { 'data-autofocus'?: boolean }) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>(props);
  return (
    <PasswordInput
      {...labelled}
      {...rest}
      aria-invalid={labelled.error !== undefined || undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      value={field.value ?? ''}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}
