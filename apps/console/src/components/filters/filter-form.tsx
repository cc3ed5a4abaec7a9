import { type Filter, type FilterField, formatFilter, operatorsOf, parseFilter } from '@hilltop/contract/filters';
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { ErrorState } from '../states/states.tsx';
import { ChoiceList } from './choice-list.tsx';
import { labelOf, operatorWord } from './filter-words.ts';
import classes from './filters.module.css';
import { type ListFilters, useObjects } from './list-filters.ts';
import { TimeValue } from './time-value.tsx';

interface Props {
  of: ListFilters;
  /** The filter to change; a new one begins with the choice of its field. */
  initial?: Filter;
  onApply: (filter: Filter) => void;
}

/** Choose a field, then operator and values of one filter. */
export function FilterForm({ of, initial, onApply }: Props) {
  const [name, setName] = useState(initial?.field);
  const field = name === undefined ? undefined : of.fields[name];
  if (name === undefined || !field) return <FieldList of={of} onChoose={setName} />;
  return <ValueForm of={of} name={name} field={field} initial={initial} onApply={onApply} />;
}

/** The form is loaded after its box has opened, so it takes the focus on its own. */
function useFirstFocus<Element extends HTMLElement>() {
  const box = useRef<Element>(null);
  useEffect(() => box.current?.querySelector<HTMLElement>('button, input, select')?.focus(), []);
  return box;
}

function FieldList({ of, onChoose }: { of: ListFilters; onChoose: (name: string) => void }) {
  const box = useFirstFocus<HTMLDivElement>();
  return (
    <div ref={box} role="group" aria-label={`Filter ${of.noun} by`} className={classes.fields}>
      {Object.entries(of.fields).map(([name, { label, help }]) => (
        <button key={name} type="button" className={classes.field} title={help} onClick={() => onChoose(name)}>
          {label}
        </button>
      ))}
    </div>
  );
}

interface ValueFormProps extends Omit<Props, 'initial'> {
  name: string;
  field: FilterField;
  initial?: Filter | undefined;
}

/** Alternatives in a text field are written as in the API: `north|south`, with a backslash before a literal `|`. */
const textOf = (values: readonly string[]) => values.map((value) => value.replaceAll(/[\\|]/g, '\\$&')).join('|');

function ValueForm({ of, name, field, initial, onApply }: ValueFormProps) {
  const box = useFirstFocus<HTMLFormElement>();
  const operators = operatorsOf(field);
  const [key, setKey] = useState(initial?.key ?? '');
  const [operator, setOperator] = useState(initial?.operator ?? operators[0]!);
  const [text, setText] = useState(textOf(initial?.values ?? []));
  const [problem, setProblem] = useState('');
  const hasValues = operator !== 'set' && operator !== 'unset';

  function apply(event: FormEvent) {
    event.preventDefault();
    if (hasValues && text.trim() === '') return setProblem('Choose or enter a value.');
    const start = formatFilter({ field: name, key, operator, values: [''] });
    const parsed = parseFilter(of.fields, hasValues ? start + text : start);
    if ('problem' in parsed) return setProblem(parsed.problem);
    return onApply(parsed.filter);
  }

  return (
    <form ref={box} className={classes.form} onSubmit={apply}>
      <Stack gap="xs">
        <Text fw={600}>{field.label}</Text>
        {field.isKeyed && (
          <KeyField of={of} label={`Name of the ${field.label.toLowerCase()}`} value={key} onChange={setKey} />
        )}
        <NativeSelect
          aria-label="Condition"
          value={operator}
          data={operators.map((one) => ({ value: one, label: operatorWord(field, one) }))}
          onChange={({ currentTarget: { value } }) => setOperator(operators.find((one) => one === value) ?? operator)}
        />
        {hasValues && <Values of={of} field={field} label={labelOf(field, key)} text={text} onChange={setText} />}
        {problem !== '' && (
          <Text size="sm" c="red" role="alert">
            {problem}
          </Text>
        )}
        <Group justify="flex-end">
          <Button type="submit" size="xs">
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface KeyFieldProps {
  of: ListFilters;
  label: string;
  value: string;
  onChange: (key: string) => void;
}

/** The name of a tag, with those in use as suggestions. */
function KeyField({ of: { tagKeys }, label, value, onChange }: KeyFieldProps) {
  const id = useId();
  const { data = [] } = useQuery(tagKeys);
  return (
    <>
      <TextInput
        aria-label={label}
        placeholder="Name"
        list={id}
        autoComplete="off"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <datalist id={id}>
        {data.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </datalist>
    </>
  );
}

interface ValuesProps {
  of: ListFilters;
  field: FilterField;
  label: string;
  /** The values as the filter has them. */
  text: string;
  onChange: (text: string) => void;
}

const chosenIn = (text: string) => (text === '' ? [] : text.split('|'));

function Values({ of, field, label, text, onChange }: ValuesProps) {
  const { choices, kind, unit } = field;
  if (choices)
    return (
      <ChoiceList
        label={label}
        options={Object.entries(choices).map(([value, word]) => ({ value, word }))}
        chosen={chosenIn(text)}
        onChange={(chosen) => onChange(chosen.join('|'))}
      />
    );
  if (field.resource) return <Objects of={of} field={field} label={label} text={text} onChange={onChange} />;
  if (kind === 'time') return <TimeValue label={label} value={text} onChange={onChange} />;
  return (
    <TextInput
      aria-label={label}
      placeholder={kind === 'number' ? 'Number' : 'Value, or several: north|south'}
      autoComplete="off"
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      rightSection={unit && <span aria-hidden>{unit}</span>}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

function Objects({ of, field, label, text, onChange }: ValuesProps) {
  const { data, error, refetch } = useObjects(of, field);
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Text size="sm">Loading ...</Text>;
  return (
    <ChoiceList
      label={label}
      options={data.result.map(({ id, name }) => ({ value: id, word: name }))}
      chosen={chosenIn(text)}
      onChange={(chosen) => onChange(chosen.join('|'))}
    />
  );
}
