import { Button, Checkbox, NativeSelect, Popover, Stack, TextInput } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { toLocalTime } from '../last-seen/local-time.ts';
import classes from './live-log.module.css';

interface LogFiltersProps {
  /** Undefined when no filter is set. */
  onClear: (() => void) | undefined;
  /** In several lines where one is too short; a live log needs the height. */
  wraps?: boolean;
  children: ReactNode;
}

/** The fields of a filter in one line. */
export function LogFilters({ onClear, wraps = false, children }: LogFiltersProps) {
  return (
    <div role="group" aria-label="Filters" className={classes.filters} data-wraps={wraps || undefined}>
      {children}
      {onClear && (
        <Button variant="subtle" size="xs" leftSection={<IconX size={14} />} onClick={onClear}>
          Clear filters
        </Button>
      )}
    </div>
  );
}

interface KindFilterProps {
  kinds: readonly string[];
  chosen: readonly string[];
  onChoose: (kinds: readonly string[]) => void;
}

/** Any number of kinds; none chosen means all. */
export function KindFilter({ kinds, chosen, onChoose }: KindFilterProps) {
  return (
    <Popover position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant={chosen.length > 0 ? 'light' : 'default'}
          size="xs"
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {chosen.length > 0 ? `Kind: ${chosen.join(', ')}` : 'Kind'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Kind">
        <Checkbox.Group value={[...chosen]} onChange={onChoose} aria-label="Kind">
          <Stack gap="xs">
            {kinds.map((kind) => (
              <Checkbox key={kind} value={kind} label={kind} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}

interface TextFilterProps {
  label: string;
  /** Width in characters. */
  width: number;
  value: string;
  onChange: (value: string) => void;
  /** What is wrong with a text; null when it can be used. */
  problem?: (text: string) => string | null;
}

/** Typing changes the filter after a pause, Enter and leaving the field at once. */
const pauseMs = 400;

/** A text that becomes part of the filter when it is valid. */
export function TextFilter({ label, width, value, onChange, problem = () => null }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // The address has changed in another way, such as by Clear filters.
  if (value !== known) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const error = problem(typed.trim());
  const use = (text: string) => {
    clearTimeout(timer.current);
    if (problem(text) !== null || text === value) return;
    setKnown(text);
    onChange(text);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      size="xs"
      w={`calc(${width}ch + 24px)`}
      value={typed}
      autoComplete="off"
      error={error !== null}
      title={error ?? undefined}
      onBlur={() => use(typed.trim())}
      onKeyDown={({ key }) => key === 'Enter' && use(typed.trim())}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => use(text.trim()), pauseMs);
      }}
    />
  );
}

/** The times of a filter: the last hours, or from and to in RFC 3339. */
export interface LogTimes {
  readonly last: string;
  readonly from: string;
  readonly to: string;
}

/** Milliseconds of each choice. */
export const lastTimes: Readonly<Record<string, number>> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 };

const timeLabels = {
  '': 'Any time',
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  range: 'From – to',
};

interface TimeFilterProps extends LogTimes {
  onChange: (times: LogTimes) => void;
}

export function TimeFilter({ last, from, to, onChange }: TimeFilterProps) {
  const [isRange, setRange] = useState(false);
  const hasRange = isRange || from !== '' || to !== '';
  const choose = (choice: string) => {
    setRange(choice === 'range');
    if (choice !== 'range' || last !== '') onChange({ last: choice === 'range' ? '' : choice, from: '', to: '' });
  };
  return (
    <>
      <NativeSelect
        aria-label="Time"
        size="xs"
        value={hasRange ? 'range' : last}
        data={Object.entries(timeLabels).map(([value, label]) => ({ value, label }))}
        onChange={({ currentTarget: { value } }) => choose(value)}
      />
      {hasRange && (
        <>
          <TimeField label="From" value={from} onChange={(at) => onChange({ last: '', from: at, to })} />
          <TimeField label="To" value={to} onChange={(at) => onChange({ last: '', from, to: at })} />
        </>
      )}
    </>
  );
}

/** A time in the time zone of the browser; the value is RFC 3339, or empty. */
export function TimeField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (at: string) => void;
}) {
  return (
    <TextInput
      type="datetime-local"
      aria-label={label}
      leftSection={<span className={classes.timeName}>{label}</span>}
      leftSectionWidth={50}
      size="xs"
      value={value === '' ? '' : toLocalTime(value)}
      onChange={({ currentTarget: { value: local } }) => onChange(local === '' ? '' : new Date(local).toISOString())}
    />
  );
}
