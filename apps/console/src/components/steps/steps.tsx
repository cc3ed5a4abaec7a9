import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './steps.module.css';

interface Props {
  title: string;
  isDone: boolean;
  /** It was tried and refused. */
  isFailed?: boolean;
  /** An action beside the step. */
  action?: ReactNode;
  children?: ReactNode;
}

/** Consecutive steps; each is ticked when it is done. */
export function Steps({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ol className={classes.steps} aria-label={label}>
      {children}
    </ol>
  );
}

export function Step({ title, isDone, isFailed = false, action, children }: Props) {
  return (
    <li className={classes.step} data-done={isDone || undefined} data-failed={isFailed || undefined}>
      <span className={classes.mark} role="img" aria-label={isDone ? 'done' : isFailed ? 'failed' : 'to do'}>
        {isDone && <IconCheck size={14} stroke={3} />}
        {isFailed && <IconX size={14} stroke={3} />}
      </span>
      <div className={classes.words}>
        <div className={classes.title}>{title}</div>
        {children && <div className={classes.text}>{children}</div>}
      </div>
      {action && <div className={classes.action}>{action}</div>}
    </li>
  );
}
