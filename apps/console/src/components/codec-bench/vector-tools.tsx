import type { CodecRunResult } from '@hilltop/contract';
import { Button, Group, Text, TextInput } from '@mantine/core';
import { IconFlask, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { type BenchCase, isRepeatable, vectorOf } from './bench-case.ts';
import classes from './codec-bench.module.css';
import type { Vectors } from './use-vectors.ts';

const mostVectors = 200;
const longestName = 200;

interface Props {
  of: BenchCase;
  vectors: Vectors;
}

/** Adds a result as a test vector. */
export function SaveVector({ of, result, vectors }: Props & { result: CodecRunResult }) {
  const [name, setName] = useState(of.vectorName.slice(0, longestName));
  const [isAdded, setAdded] = useState(false);
  if (!isRepeatable(result)) return null;
  const isFull = vectors.list.length >= mostVectors;
  const add = () => {
    if (isFull || name.trim() === '') return;
    vectors.set([...vectors.list, vectorOf(name.trim(), of.input, result)]);
    setAdded(true);
  };
  return (
    <div className={classes.tools}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          label="Name of the vector"
          size="xs"
          className={classes.grow ?? ''}
          maxLength={longestName}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <Button size="xs" variant="default" leftSection={<IconFlask size={14} />} disabled={isFull} onClick={add}>
          Save as vector
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status" className={classes.note}>
        {isFull && `A profile has at most ${mostVectors} test vectors.`}
        {!isFull && isAdded && 'Added. The vectors are saved with the device-profile.'}
      </Text>
    </div>
  );
}

/** Renames or removes a test vector, or takes the result of the run as the expected one. */
export function VectorTools({ of, result, vectors }: Props & { result: CodecRunResult | undefined }) {
  const at = vectors.list.indexOf(of.vector!);
  if (!of.vector || at < 0) return null;
  const replace = (change: object) => vectors.set(vectors.list.with(at, { ...of.vector!, ...change }));
  const accept = () => result && replace({ ...vectorOf(of.vector!.name, of.input, result) });
  return (
    <div className={classes.tools}>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Name of the vector"
          size="xs"
          className={classes.grow ?? ''}
          maxLength={longestName}
          value={of.vector.name}
          onChange={(event) => replace({ name: event.currentTarget.value })}
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        {result && isRepeatable(result) && (
          <Button size="xs" variant="default" onClick={accept}>
            Expect this result
          </Button>
        )}
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          leftSection={<IconTrash size={14} />}
          onClick={() => vectors.set(vectors.list.toSpliced(at, 1))}
        >
          Remove vector
        </Button>
      </Group>
      <Text size="sm" c="dimmed" role="status" className={classes.note}>
        {vectors.isChanged && 'Not saved yet. The vectors are saved with the device-profile.'}
      </Text>
    </div>
  );
}
