import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './form.module.css';

/** A group of fields under one heading. */
export function FormSection({ title, help, children }: { title: string; help?: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <Title order={2}>{title}</Title>
      {help && (
        <Text c="dimmed" mt={2}>
          {help}
        </Text>
      )}
      <Stack gap="md" mt="sm">
        {children}
      </Stack>
    </section>
  );
}
