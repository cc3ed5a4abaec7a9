import { Stack, Text, Title } from '@mantine/core';
import { type ReactNode, use, useId } from 'react';
import classes from './form.module.css';
import { LevelContext } from './use-message-form.ts';

/** A group of fields under one heading. */
export function FormSection({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className={classes.section} role="group" aria-labelledby={id}>
      <Title order={use(LevelContext)} id={id}>
        {title}
      </Title>
      {help && (
        <Text c="dimmed" mt={2}>
          {help}
        </Text>
      )}
      <Stack gap="md" mt="sm">
        {children}
      </Stack>
    </div>
  );
}
