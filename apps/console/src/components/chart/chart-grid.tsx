import type { ReactNode } from 'react';
import classes from './chart.module.css';

/** Charts two abreast, or one where there is no room. */
export function ChartGrid({ children }: { children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>;
}
