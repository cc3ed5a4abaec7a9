import type { FileImport } from '@hilltop/contract';
import { Button, Checkbox, Group, NativeSelect, Paper, Radio, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { KeyValueInput } from '../../components/key-value-input/key-value-input.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { ConstantSelects, useFirstConstants } from './constants.tsx';
import classes from './file-import.module.css';
import { counted, many } from './import-words.ts';
import { useCall } from './use-call.ts';
import { useShowImport } from './use-import.ts';

interface Plan {
  columns: { field: string; isReversed: boolean }[];
  constants: Record<string, string>;
  namePattern: string;
  whenExists: FileImport['whenExists'];
}

/** What each column of the file is, and the values that no column has. */
export function ColumnsStep({ found, onChecked }: { found: FileImport; onChecked: () => void }) {
  const { id, kind, rowCount, fileName } = found;
  const show = useShowImport();
  const [plan, setPlan] = useState<Plan>(() => ({
    columns: found.columns.map(({ field, isReversed }) => ({ field, isReversed })),
    constants: found.constants,
    namePattern: found.namePattern,
    whenExists: found.whenExists,
  }));
  const { run, failure, isRunning } = useCall();
  const change = (part: Partial<Plan>) => setPlan((before) => ({ ...before, ...part }));
  const used = new Set(plan.columns.map(({ field }) => field));
  useFirstConstants(kind, used, plan.constants, (constants) => change({ constants }));
  const check = () => {
    const constants = Object.fromEntries(Object.entries(plan.constants).filter(([, value]) => value !== ''));
    return run(api.fileImport.update({ id, ...plan, constants }), (answer) => {
      show(answer);
      onChecked();
    });
  };
  return (
    <>
      <Paper component="section" aria-labelledby="import-columns">
        <Title order={2} size="h3" id="import-columns" mb="xs">
          Columns
        </Title>
        <Text c="dimmed" mb="sm">
          {fileName} has {counted(rowCount, kind)}. Choose the field of each column.
        </Text>
        <ColumnTable found={found} columns={plan.columns} onChange={(columns) => change({ columns })} />
      </Paper>
      <Paper component="section" aria-labelledby="import-rest" mt="md">
        <Title order={2} size="h3" id="import-rest" mb="xs">
          For all rows
        </Title>
        <Stack maw={560}>
          <ConstantSelects
            kind={kind}
            used={used}
            constants={plan.constants}
            onChange={(constants) => change({ constants })}
          />
          <TextInput
            label="Name pattern"
            description={`For rows without a name: meter-{${kind === 'DEVICES' ? 'devEUI' : 'id'}:-4} ends in the last four digits. Empty: the ${kind === 'DEVICES' ? 'DevEUI' : 'gateway ID'}.`}
            value={plan.namePattern}
            onChange={({ currentTarget: { value } }) => change({ namePattern: value })}
          />
          <Tags constants={plan.constants} onChange={(constants) => change({ constants })} />
          <Radio.Group
            label={`${many(kind) === 'devices' ? 'Devices' : 'Gateways'} that exist already`}
            value={plan.whenExists}
            onChange={(value) => change({ whenExists: value as Plan['whenExists'] })}
          >
            <Stack gap="xs" mt={5}>
              <Radio value="REFUSE" label="Report them as problems" />
              <Radio value="SKIP" label="Skip them" />
              <Radio value="UPDATE" label="Update them; an empty cell changes nothing" />
              <Radio
                value="REPLACE"
                label="Replace their values; an empty cell removes a description, tag, variable or position"
              />
            </Stack>
          </Radio.Group>
        </Stack>
        <Group mt="md">
          <Button loading={isRunning} onClick={() => void check()}>
            Check {counted(rowCount, kind)}
          </Button>
          <Button variant="default" disabled={isRunning} onClick={() => show(null)}>
            Choose another file
          </Button>
        </Group>
        <Stack mt="sm">
          <InlineError error={failure} />
        </Stack>
      </Paper>
    </>
  );
}

interface ColumnTableProps {
  found: FileImport;
  columns: Plan['columns'];
  onChange: (columns: Plan['columns']) => void;
}

function ColumnTable({ found, columns, onChange }: ColumnTableProps) {
  const set = (at: number, part: Partial<Plan['columns'][number]>) =>
    onChange(columns.map((column, index) => (index === at ? { ...column, ...part } : column)));
  return (
    <div className={classes.table}>
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">First values</th>
            <th scope="col">Field</th>
            <th scope="col">Byte order</th>
          </tr>
        </thead>
        <tbody>
          {found.columns.map(({ name, samples }, at) => (
            // The columns of a file keep their places.
            <tr key={`${at} ${name}`}>
              <td className={classes.name}>{name}</td>
              <td className={`identifier ${classes.samples}`} title={samples.join(', ')}>
                {samples.filter((sample) => sample !== '').join(', ') || '–'}
              </td>
              <td>
                <NativeSelect
                  aria-label={`Field of ${name}`}
                  value={columns[at]!.field}
                  onChange={({ currentTarget: { value } }) => set(at, { field: value })}
                  data={choicesFor(found, at, name)}
                />
              </td>
              <td>
                {['devEUI', 'id'].includes(columns[at]!.field) && (
                  <Checkbox
                    className={classes.reversed ?? ''}
                    label="Reversed (LSB first)"
                    aria-label={`Reversed (LSB first): EUIs of ${name}`}
                    checked={columns[at]!.isReversed}
                    onChange={({ currentTarget: { checked } }) => set(at, { isReversed: checked })}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What a column can be: a field, or a tag or variable with the name of the column. */
function choicesFor({ kind, fields, columns }: FileImport, at: number, name: string) {
  const entry = name.replace(/^(tags?|vars?|variables?)[.:_]/i, '').slice(0, 128);
  const guessed = columns[at]!.field;
  const maps = [
    { value: `tag.${entry}`, label: `Tag ${entry}` },
    ...(kind === 'DEVICES' ? [{ value: `var.${entry}`, label: `Variable ${entry}` }] : []),
  ];
  const known = [...fields.map((field) => ({ value: field.name, label: field.label })), ...maps];
  const isOther = guessed !== '' && !known.some(({ value }) => value === guessed);
  return [{ value: '', label: 'Not used' }, ...known, ...(isOther ? [{ value: guessed, label: guessed }] : [])];
}

interface ConstantsProps {
  constants: Readonly<Record<string, string>>;
  onChange: (constants: Record<string, string>) => void;
}

/** Tags that all records get. */
function Tags({ constants, onChange }: ConstantsProps) {
  const entries = Object.entries(constants);
  const isTag = ([name]: [string, string]) => name.startsWith('tag.');
  const tags = Object.fromEntries(entries.filter(isTag).map(([name, value]) => [name.slice(4), value]));
  return (
    <KeyValueInput
      noun="tag"
      value={tags}
      onChange={(value) => {
        const others = entries.filter((entry) => !isTag(entry));
        const given = Object.entries(value).map(([name, text]) => [`tag.${name}`, text] as const);
        onChange(Object.fromEntries([...others, ...given]));
      }}
    />
  );
}
