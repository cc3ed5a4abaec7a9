import { IconCopy } from '@tabler/icons-react';
import { toast } from '../toast/toast.ts';
import classes from './copy.module.css';

/** Copies text and says so; where the browser forbids it (no secure page), says that instead of failing silently. Answers whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success('Copied to clipboard');
    return true;
  } catch {
    toast.error('The browser did not allow copying. Open the console over HTTPS, or select the text by hand.');
    return false;
  }
}

export function CopyButton({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <button
      type="button"
      className={classes.button}
      aria-label={label}
      title={label}
      onClick={() => void copyText(value)}
    >
      <IconCopy size={14} aria-hidden />
    </button>
  );
}

/** An identifier (EUI, id, address): monospace, never broken inside, with a button that copies it. */
export function Identifier({ value, label }: { value: string; label?: string }) {
  return (
    <span className={classes.identifier}>
      <span className="identifier">{value}</span>
      <CopyButton value={value} label={`Copy ${label ?? value}`} />
    </span>
  );
}
