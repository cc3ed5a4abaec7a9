import { Button } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';

interface Props {
  label: string;
  /** Open at first; a change opens or closes it. */
  open?: boolean;
  children: ReactNode;
}

/** A button that shows and hides what is below it. Hidden content is not mounted. */
export function Disclosure({ label, open = false, children }: Props) {
  const id = useId();
  const [given, setGiven] = useState(open);
  const [isOpen, setOpen] = useState(open);
  if (given !== open) {
    setGiven(open);
    setOpen(open);
  }
  const Icon = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        px={4}
        ml={-4}
        aria-expanded={isOpen}
        aria-controls={id}
        leftSection={<Icon size={16} aria-hidden />}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </Button>
      <div id={id}>{isOpen && children}</div>
    </div>
  );
}
