import { Button } from '@mantine/core';
import edges from '../scroll-edges/scroll-edges.module.css';
import { useScrollEdges } from '../scroll-edges/use-scroll-edges.ts';
import classes from './filter-chips.module.css';

interface Props {
  className?: string;
  /** Label of the group. */
  label: string;
  /** Label of the chip that removes the filter. */
  all: string;
  names: readonly (readonly [name: string, word: string])[];
  /** Empty for no filter. */
  chosen: string;
  onChoose: (name: string) => void;
}

/** Selects one value or all. On a phone the chips are one row that scrolls. */
export function FilterChips({ className = '', label, all, names, chosen, onChoose }: Props) {
  const row = useScrollEdges<HTMLDivElement>();
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
