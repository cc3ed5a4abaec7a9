import classes from './status.module.css';

/** A status with its dot: active (green), inactive (red), never seen (grey), attention (amber). */
export function Status({ tone, children }: { tone: 'active' | 'inactive' | 'never' | 'attention'; children: string }) {
  return (
    <span className={classes.status} data-tone={tone}>
      {children}
    </span>
  );
}
