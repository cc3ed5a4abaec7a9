import { Button, Group } from '@mantine/core';

interface Props {
  /** What is filtered by. */
  label: string;
  /** The word for no filter. */
  all: string;
  names: readonly (readonly [name: string, word: string])[];
  /** Empty: all. */
  chosen: string;
  onChoose: (name: string) => void;
}

/** One of a few kinds, or all of them, at a press. */
export function FilterChips({ label, all, names, chosen, onChoose }: Props) {
  return (
    <Group role="group" aria-label={label} gap={4}>
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
    </Group>
  );
}
