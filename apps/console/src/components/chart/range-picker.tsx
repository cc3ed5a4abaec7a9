import { SegmentedControl } from '@mantine/core';
import classes from './chart.module.css';
import { type Range, ranges, useRange } from './stats-range.ts';

/** Selects the time range of the charts of the page. */
export function RangePicker() {
  const { range, choose } = useRange();
  return (
    <SegmentedControl
      className={classes.range ?? ''}
      size="xs"
      aria-label="Range of the charts"
      value={range}
      onChange={(next) => choose(next as Range)}
      data={Object.entries(ranges).map(([value, label]) => ({ value, label }))}
    />
  );
}
