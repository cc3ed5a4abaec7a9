import { Textarea, type TextareaProps } from '@mantine/core';
import { type Named, useNamed } from './use-named.ts';

export function TextAreaField(props: Named & Pick<TextareaProps, 'rows' | 'placeholder' | 'spellCheck' | 'styles'>) {
  const { field, rest, labelled } = useNamed<string | null, typeof props>(props);
  return (
    <Textarea
      rows={4}
      {...labelled}
      {...rest}
      value={field.value ?? ''}
      onChange={(event) => field.onChange(event.currentTarget.value)}
    />
  );
}
