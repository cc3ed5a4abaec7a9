import { Checkbox, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Read } from '../../api/queries.ts';
import classes from './list.module.css';
import { mostColumns } from './use-columns.ts';

export interface ColumnChoiceProps {
  offered: readonly { id: string; header: string }[];
  tagKeys: Read<readonly string[]>;
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
}

/** Check boxes of the columns that a list can have besides its own, and of the tags in use. */
export function ColumnChoice({ offered, tagKeys, chosen, onChoose }: ColumnChoiceProps) {
  const { data: keys = [] } = useQuery(tagKeys);
  const box = useRef<HTMLDivElement>(null);
  // Loaded after the box has opened, so it takes the focus on its own.
  useEffect(() => box.current?.querySelector('input')?.focus(), []);
  const tags = [...new Set([...keys.map((key) => `tag.${key}`), ...chosen.filter((id) => id.startsWith('tag.'))])];
  return (
    <div ref={box} className={classes.columnChoice}>
      <Checkbox.Group value={[...chosen]} onChange={(ids) => onChoose(ids.slice(0, mostColumns))} aria-label="Columns">
        <Stack gap={8}>
          {offered.map(({ id, header }) => (
            <Checkbox key={id} value={id} label={header} />
          ))}
          {tags.length > 0 && (
            <Text size="xs" c="dimmed" mt={4}>
              Tags
            </Text>
          )}
          {tags.map((id) => (
            <Checkbox key={id} value={id} label={id.slice('tag.'.length)} />
          ))}
        </Stack>
      </Checkbox.Group>
    </div>
  );
}
