import { IconCopy } from '@tabler/icons-react';
import { toast } from '../toast/toast.ts';
import classes from './copy.module.css';

/**
 * Copies text and shows a toast. Where the browser forbids copying (no secure context), the toast says so. Returns
 * whether it succeeded.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success('Copied to clipboard');
    return true;
  } catch {
    toast.error('The browser does not allow copying. Open the console over HTTPS, or select the text manually.');
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

/** An identifier (EUI, id, address) in monospace, without line breaks, with a copy button. */
export function Identifier({ value, label, isShort }: { value: string; label?: string; isShort?: true }) {
  return (
    <span className={classes.identifier} data-short={isShort}>
      <span className="identifier" title={isShort && value}>
        {value}
      </span>
      <CopyButton value={value} label={`Copy ${label ?? value}`} />
    </span>
  );
}
