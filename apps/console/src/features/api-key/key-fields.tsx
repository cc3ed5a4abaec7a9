import { keyAccessChoices } from '@hilltop/contract';
import { Radio, Stack } from '@mantine/core';
import { type Named, useNamed } from '../../components/form/use-named.ts';
import { ExpiryChoice, type ExpiryValue, expiryProblem } from './expiry-choice.tsx';

/** The field of the expiry. Its value becomes a time when the key is created. */
export function ExpiryField() {
  const { field, labelled } = useNamed<ExpiryValue, Named>({
    name: 'expiresAt',
    required: true,
    validate: (value) => expiryProblem(value as ExpiryValue),
  });
  const { label, description, error } = labelled;
  return (
    <ExpiryChoice label={label} description={description} error={error} value={field.value} onChange={field.onChange} />
  );
}

export function AccessField() {
  const { field, labelled } = useNamed<string, Named>({ name: 'access' });
  return (
    <Radio.Group label={labelled.label} value={field.value} onChange={field.onChange}>
      <Stack gap="xs" mt={5}>
        {keyAccessChoices.map(({ value, label, help }) => (
          <Radio key={value} value={value} label={label} description={help} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
