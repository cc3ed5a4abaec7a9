import type { RadioEffect, RadioSettings } from '@hilltop/contract';
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ApiError, fieldsOf } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { query } from '../../api/queries.ts';
import classes from './radio.module.css';

interface Props {
  networkServerID: string;
  settings: RadioSettings;
  isChanged: boolean;
}

/** The effects of saving, shown before it. */
export function RadioEffects({ networkServerID, settings, isChanged }: Props) {
  const [settled] = useDebouncedValue(settings, 400);
  const { data, error } = useQuery({
    ...query('radio', 'preview', { networkServerID, settings: settled }),
    enabled: isChanged,
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (!isChanged) return null;
  return (
    <section className={classes.effects} aria-labelledby="radio-effects" aria-live="polite">
      <b id="radio-effects">What saving will cause</b>
      {error ? <Problem error={error} /> : <Text c="dimmed">{sentenceOf(data)}</Text>}
      {!error && data && consequences(data).length > 0 && (
        <ul>
          {consequences(data).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface Found {
  devices: number;
  isPartial: boolean;
  effects: readonly RadioEffect[];
  endingSessions: number;
}

function consequences({ effects, endingSessions }: Found): string[] {
  const ending = endingSessions === 0 ? [] : [endingSentence(endingSessions)];
  return [...effects.map(effectSentence), ...ending];
}

/** Devices that sent frames without receiving an answer for longer than the limit. */
function endingSentence(count: number): string {
  const who = count === 1 ? '1 device was' : `${count.toLocaleString('en')} devices were`;
  return `${who} silent for longer: ${count === 1 ? 'its session ends' : 'their sessions end'} within hours and lose their queued downlinks.`;
}

function sentenceOf(found: Found | undefined): string {
  if (!found) return 'Checking devices …';
  const { isPartial } = found;
  const devices = found.devices.toLocaleString('en');
  if (consequences(found).length > 0) return isPartial ? `Of the first ${devices} checked devices:` : '';
  if (found.devices === 0) return 'No device has joined yet: no device needs new settings.';
  return `None of the ${isPartial ? `first ${devices}` : devices} checked devices needs new settings.`;
}

function effectSentence({ command, devices, refusing }: RadioEffect): string {
  const count = devices.toLocaleString('en');
  const who = devices === 1 ? '1 device gets' : `${count} devices get`;
  const first = `${who} a ${command} with ${devices === 1 ? 'its' : 'their'} next downlink.`;
  if (refusing === 0) return first;
  return `${first} ${refusing.toLocaleString('en')} of them refused the command too often and will not be asked again.`;
}

function Problem({ error }: { error: unknown }) {
  const fields = error instanceof ApiError ? Object.values(fieldsOf(error)) : [];
  return (
    <>
      <Text>{fields.length > 0 ? 'This cannot be saved:' : explain(error)}</Text>
      {fields.length > 0 && (
        <ul>
          {fields.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </>
  );
}
