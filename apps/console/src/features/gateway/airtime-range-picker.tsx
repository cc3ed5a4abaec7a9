import { SegmentedControl } from '@mantine/core';
import classes from './airtime.module.css';
import { type AirtimeRange, airtimeRanges } from './airtime-range.ts';

interface AirtimeRangePickerProps {
  offered: readonly AirtimeRange[];
  range: AirtimeRange;
  choose: (range: AirtimeRange) => void;
}

export function AirtimeRangePicker({ offered, range, choose }: AirtimeRangePickerProps) {
  return (
    <SegmentedControl
      className={classes.range ?? ''}
      size="xs"
      aria-label="Range"
      value={range}
      onChange={(next) => choose(next as AirtimeRange)}
      data={offered.map((value) => ({ value, label: airtimeRanges[value] }))}
    />
  );
}
