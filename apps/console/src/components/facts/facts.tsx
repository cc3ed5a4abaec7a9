import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type FactList = readonly (readonly [name: string, value: ReactNode])[];

/** A card with a title and facts. */
export function FactCard({ title, facts }: { title: string; facts: FactList }) {
  return (
    <Paper component="section" aria-label={title}>
      <Title order={2} mb={4}>
        {title}
      </Title>
      <Facts facts={facts} />
    </Paper>
  );
}

/** A list of names and values; on a phone each value is below its name. */
export function Facts({ facts }: { facts: FactList }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt className={classes.name}>{name}</dt>
          <dd className={classes.value}>{value || '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
