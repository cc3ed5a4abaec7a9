import { Button, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { query } from '../../api/queries.ts';
import classes from './device-values.module.css';
import { mostCompared } from './values-address.ts';
import type { DrawnDevice } from './values-charts.ts';

const settledMs = 250;
const mostFound = 50;

interface Props {
  organizationID: string;
  applicationID: string;
  devEUI: string;
  compared: readonly DrawnDevice[];
  onChange: (devEUIs: readonly string[]) => void;
}

/** Chooses devices of the organization whose values are drawn beside those of the page. */
export function CompareWith({ organizationID, applicationID, devEUI, compared, onChange }: Props) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const search = useSettled(text);
  const found = useQuery({
    ...query('internal', 'globalSearch', { search, limit: mostFound, offset: 0 }),
    enabled: isOpen && search !== '',
    placeholderData: keepPreviousData,
  });
  const neighbours = useQuery({
    ...query('device', 'list', { applicationID, limit: mostFound, offset: 0 }),
    enabled: isOpen && search === '',
  });
  const chosen = compared.map((one) => one.devEUI);
  const offered =
    search === ''
      ? (neighbours.data?.result ?? []).map((one) => ({ value: one.devEUI, label: one.name }))
      : (found.data?.result ?? [])
          .filter((one) => one.kind === 'device' && one.organizationID === organizationID)
          .map((one) => ({ value: one.deviceDevEUI, label: one.deviceName }));
  const isFull = compared.length >= mostCompared;
  const isPending = search === '' ? neighbours.isPending : found.isPending;
  const failure = found.error ?? neighbours.error;
  return (
    <>
      <Select
        className={classes.compare ?? ''}
        label="Compare with"
        placeholder={isFull ? `At most ${mostCompared} devices` : 'Name or EUI of a device'}
        disabled={isFull}
        searchable
        value={null}
        searchValue={text}
        onSearchChange={setText}
        onDropdownOpen={() => setOpen(true)}
        // The server has searched already.
        filter={({ options }) => options}
        data={offered.filter(({ value }) => value !== devEUI && !chosen.includes(value))}
        nothingFoundMessage={failure ? 'The search failed. Try again.' : isPending ? 'Searching …' : 'No other device'}
        onChange={(value) => {
          if (value !== null) onChange([...chosen, value]);
          setText('');
        }}
      />
      {compared.map((one) => (
        <Button
          key={one.devEUI}
          variant="light"
          rightSection={<IconX size={14} />}
          aria-label={`Do not compare with ${one.name}`}
          onClick={() => onChange(chosen.filter((other) => other !== one.devEUI))}
        >
          {one.name}
        </Button>
      ))}
    </>
  );
}

/** A text, once nobody has typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text.trim()), settledMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
