import { SegmentedControl } from '@mantine/core';
import classes from './chart.module.css';

interface RangePickerProps<Range extends string> {
  label: string;
  ranges: Readonly<Record<Range, string>>;
  /** Those that the page offers; all without it. */
  offered?: readonly Range[];
  range: Range;
  choose: (range: Range) => void;
}

/** Selects the time range of the charts or figures of the page. */
export function RangePicker<Range extends string>({
  label,
  ranges,
  offered = Object.keys(ranges) as Range[],
  range,
  choose,
}: RangePickerProps<Range>) {
  return (
    <SegmentedControl
      className={classes.range ?? ''}
      size="xs"
      aria-label={label}
      value={range}
      onChange={(next) => choose(next as Range)}
      data={offered.map((value) => ({ value, label: ranges[value] }))}
    />
  );
}
