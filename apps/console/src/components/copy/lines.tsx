import { Button } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { copyText } from './copy.tsx';
import classes from './lines.module.css';

/** Lines for a terminal or a file, with a copy button; `label` names them when there are several. */
export function Lines({ text, label }: { text: string; label?: string }) {
  return (
    <div className={classes.lines}>
      <pre className={classes.code}>{text}</pre>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconCopy size={14} aria-hidden />}
        aria-label={label}
        onClick={() => void copyText(text)}
      >
        Copy
      </Button>
    </div>
  );
}
