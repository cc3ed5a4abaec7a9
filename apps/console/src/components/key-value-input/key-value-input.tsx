import { ActionIcon, Button, Text, TextInput, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { type KeyValueRow, keyValueProblem, keyValueProblems, recordOf, rowsOf } from './key-value.ts';
import classes from './key-value-input.module.css';

export interface KeyValueInputProps {
  /** The noun for one row: `tag`, `variable`. */
  noun: string;
  /** Read once, when the input mounts: incomplete rows cannot be stored in a map. */
  value: Readonly<Record<string, string>>;
  /** The map and the errors of its rows. While there are errors the map is incomplete. */
  onChange: (value: Record<string, string>, problem: string | null) => void;
  description?: string;
  /** Label above the rows; the plural of the noun by default. */
  title?: string;
  readOnly?: boolean;
  disabled?: boolean;
}

/** Key-value pairs as rows of two fields. Names are validated at once: none missing, none duplicate. */
export function KeyValueInput(props: KeyValueInputProps) {
  const { noun, description, title = `${noun[0]?.toUpperCase()}${noun.slice(1)}s` } = props;
  const isFixed = props.readOnly === true || props.disabled === true;
  const group = useRef<HTMLFieldSetElement>(null);
  const [rows, setRows] = useState(() => rowsOf(props.value));
  const problems = keyValueProblems(rows);

  const accept = (next: KeyValueRow[]) => {
    setRows(next);
    props.onChange(recordOf(next), keyValueProblem(next));
  };
  const focusLast = (part: 'name' | 'add') =>
    requestAnimationFrame(() => {
      const found = group.current?.querySelectorAll<HTMLElement>(`[data-part=${part}]`) ?? [];
      Array.from(found).at(-1)?.focus();
    });
  const add = () => {
    setRows([...rows, { name: '', value: '' }]);
    focusLast('name');
  };
  const remove = (index: number) => {
    accept(rows.filter((_, at) => at !== index));
    focusLast('add');
  };

  return (
    <fieldset ref={group} className={classes.group}>
      <legend className={classes.legend}>{title}</legend>
      {description && (
        <Text size="sm" c="dimmed" mb="xs">
          {description}
        </Text>
      )}
      {rows.length === 0 && isFixed && <Text size="sm" c="dimmed">{`No ${title.toLowerCase()}.`}</Text>}
      {rows.map((row, index) => (
        <Row
          // Rows have no identity of their own; both fields are controlled, so the index works as key.
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          label={`${noun} ${index + 1}`}
          row={row}
          problem={problems[index] ?? null}
          isFixed={isFixed}
          onChange={(next) => accept(rows.with(index, next))}
          onRemove={() => remove(index)}
        />
      ))}
      {!isFixed && (
        <Button variant="default" size="xs" leftSection={<IconPlus size={14} />} data-part="add" onClick={add}>
          {`Add ${noun}`}
        </Button>
      )}
    </fieldset>
  );
}

interface RowProps {
  label: string;
  row: KeyValueRow;
  problem: string | null;
  isFixed: boolean;
  onChange: (row: KeyValueRow) => void;
  onRemove: () => void;
}

function Row({ label, row, problem, isFixed, onChange, onRemove }: RowProps) {
  return (
    <div className={classes.row}>
      <TextInput
        aria-label={`Name of ${label}`}
        placeholder="Name"
        data-part="name"
        value={row.name}
        error={problem}
        readOnly={isFixed}
        onChange={(event) => onChange({ ...row, name: event.currentTarget.value })}
      />
      <TextInput
        aria-label={`Value of ${label}`}
        placeholder="Value"
        value={row.value}
        readOnly={isFixed}
        onChange={(event) => onChange({ ...row, value: event.currentTarget.value })}
      />
      {!isFixed && (
        <Tooltip label="Remove">
          <ActionIcon color="red" size="input-sm" aria-label={`Remove ${label}`} onClick={onRemove}>
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
