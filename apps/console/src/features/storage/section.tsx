import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A card with a title. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper component="section" aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  );
}
