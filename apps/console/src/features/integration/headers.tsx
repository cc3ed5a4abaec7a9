import { ActionIcon, Button, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import '../../api/integration-facts.ts';
import { factsOf } from '../../api/facts.ts';
import { SecretField } from '../../components/form/secret-field.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useField } from '../../components/form/use-field.ts';
import classes from './integration.module.css';

interface Header {
  key: string;
  value: string;
}

/** A header with a sensitive name has a secret value. */
const { secretWhen } = factsOf('HTTPIntegrationHeader', 'value');
const isSecret = (name: string) => secretWhen !== undefined && new RegExp(secretWhen.matches, 'i').test(name);

/** The headers of all requests. */
export function Headers() {
  const field = useField<readonly Header[]>('headers');
  const headers = field.value ?? [];
  return (
    <fieldset className={classes.headers}>
      <legend className={classes.legend}>{field.label}</legend>
      {headers.length === 0 && <Text c="dimmed">{field.description}</Text>}
      {headers.map(({ key }, index) => {
        const Value = isSecret(key) ? SecretField : TextField;
        return (
          // Headers have no identity, so the index is the key.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={classes.header}>
            <TextField name={`headers.${index}.key`} />
            <Value name={`headers.${index}.value`} />
            <ActionIcon
              color="red"
              size={36}
              aria-label={`Delete header ${key || index + 1}`}
              disabled={field.disabled}
              onClick={() => field.onChange(headers.filter((_header, at) => at !== index))}
            >
              <IconTrash size={18} />
            </ActionIcon>
          </div>
        );
      })}
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} />}
        disabled={field.disabled}
        onClick={() => field.onChange([...headers, { key: '', value: '' }])}
      >
        Add header
      </Button>
    </fieldset>
  );
}
