import type { ReactNode } from 'react';
import classes from './chart.module.css';

/** Charts in two columns, or in one on narrow screens. */
export function ChartGrid({ children }: { children: ReactNode }) {
  return <div className={classes.grid}>{children}</div>;
}
