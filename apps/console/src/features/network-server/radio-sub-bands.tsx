import type { RadioPlan } from '@hilltop/contract';
import { Switch, Text } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useFormContext } from '../../components/form/use-message-form.ts';
import classes from './radio.module.css';
import { type ChannelSettings, channelsOf, megahertz, type ShownChannel, switched } from './radio-channels.ts';

interface Props {
  plan: RadioPlan;
  settings: ChannelSettings;
  onChange: (settings: ChannelSettings) => void;
}

/** The sub-bands of a fixed channel plan: a switch for each sub-band and for each of its channels. */
export function SubBands({ plan, settings, onChange }: Props) {
  const { disabled } = useFormContext();
  const byIndex = new Map(channelsOf(plan, settings).map((channel) => [channel.index, channel]));
  const change = (indexes: readonly number[], isOn: boolean) => onChange(switched(plan, settings, indexes, isOn));
  return (
    <div className={classes.subBands}>
      {plan.subBands.map(({ number, channels: indexes }) => {
        const channels = indexes.flatMap((index) => byIndex.get(index) ?? []);
        const on = channels.filter(({ isOn }) => isOn).length;
        return (
          <div key={number} className={classes.subBand} data-on={on > 0 || undefined}>
            <Switch
              label={`Sub-band ${number}`}
              description={`${rangeOf(channels)}, ${on} of ${channels.length} channels on`}
              checked={on === channels.length}
              disabled={disabled}
              onChange={(event) => change(indexes, event.currentTarget.checked)}
            />
            <Bars
              label={`Channels of sub-band ${number}`}
              channels={channels}
              disabled={disabled}
              onSwitch={({ index, isOn }) => change([index], !isOn)}
            />
          </div>
        );
      })}
      <Text c="dimmed" size="sm">
        Gateways with eight channels receive one sub-band each. Enable the sub-bands that your gateways receive.
      </Text>
    </div>
  );
}

function rangeOf(channels: readonly ShownChannel[]): string {
  const narrow = channels.filter(({ bandwidth }) => bandwidth === 125).map(({ frequency }) => frequency);
  return `${megahertz(Math.min(...narrow))} to ${megahertz(Math.max(...narrow))} MHz`;
}

/** A single tab stop; the arrow keys move between channels. */
function Bars({
  label,
  channels,
  disabled,
  onSwitch,
}: {
  label: string;
  channels: readonly ShownChannel[];
  disabled: boolean;
  onSwitch: (channel: ShownChannel) => void;
}) {
  const [current, setCurrent] = useState(0);
  const move = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (current + step + channels.length) % channels.length;
    setCurrent(next);
    event.currentTarget.parentElement?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div className={classes.bars} role="group" aria-label={label}>
      {channels.map((channel, place) => (
        <button
          key={channel.index}
          type="button"
          role="switch"
          aria-checked={channel.isOn}
          aria-label={`Channel ${channel.index}, ${megahertz(channel.frequency)} MHz, ${channel.bandwidth} kHz`}
          tabIndex={place === current ? 0 : -1}
          className={classes.toggle}
          disabled={disabled}
          onKeyDown={move}
          onFocus={() => setCurrent(place)}
          onClick={() => onSwitch(channel)}
        >
          {channel.index}
        </button>
      ))}
    </div>
  );
}
