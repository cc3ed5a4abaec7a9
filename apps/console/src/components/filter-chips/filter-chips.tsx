import { Button } from '@mantine/core';
import edges from '../edges/edges.module.css';
import { useEdges } from '../edges/use-edges.ts';
import classes from './filter-chips.module.css';

interface Props {
  className?: string;
  /** What is filtered by. */
  label: string;
  /** The word for no filter. */
  all: string;
  names: readonly (readonly [name: string, word: string])[];
  /** Empty: all. */
  chosen: string;
  onChoose: (name: string) => void;
}

/** One of a few kinds, or all of them, at a press. On a phone in one row that can be pushed aside. */
export function FilterChips({ className = '', label, all, names, chosen, onChoose }: Props) {
  const row = useEdges<HTMLDivElement>();
  return (
    <div ref={row} role="group" aria-label={label} className={`${classes.chips} ${edges.edges} ${className}`}>
      {[['', all] as const, ...names].map(([name, word]) => (
        <Button
          key={name}
          size="xs"
          radius="xl"
          variant={name === chosen ? 'light' : 'subtle'}
          {...(name !== chosen && { color: 'gray' })}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name === chosen ? '' : name)}
        >
          {word}
        </Button>
      ))}
    </div>
  );
}
