import type { RadioPlan } from '@hilltop/contract';
import { ActionIcon, Button, Switch } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { SelectField } from '../../components/form/fields.tsx';
import { useFormContext } from '../../components/form/use-message-form.ts';
import { MegahertzField } from './megahertz-field.tsx';
import classes from './radio.module.css';
import {
  type ChannelSettings,
  channelsOf,
  megahertz,
  nextExtra,
  switched,
  withExtra,
  withoutExtra,
} from './radio-channels.ts';
import { dataRatesOf } from './radio-data-rates.ts';

interface Props {
  plan: RadioPlan;
  settings: ChannelSettings;
  onChange: (settings: ChannelSettings) => void;
}

/** The channels of the region with a switch each, and the extra channels below. */
export function DynamicChannels({ plan, settings, onChange }: Props) {
  const { disabled } = useFormContext();
  const dataRates = dataRatesOf(plan, 'uplink');
  const isOn = (index: number) => settings.enabledChannels.length === 0 || settings.enabledChannels.includes(index);
  const toggle = (index: number, name: string) => (
    <Switch
      label={`Channel ${index}`}
      aria-label={`Channel ${index}, ${name}`}
      checked={isOn(index)}
      disabled={disabled}
      onChange={(event) => onChange(switched(plan, settings, [index], event.currentTarget.checked))}
    />
  );
  return (
    <div className={classes.channels}>
      <div className={`${classes.channel} ${classes.heading}`} aria-hidden>
        {['Channel', 'Frequency', 'Lowest data-rate', 'Highest data-rate'].map((heading) => (
          <span key={heading}>{heading}</span>
        ))}
      </div>
      {channelsOf(plan, { ...settings, extraChannels: [] }).map(({ index, frequency, minDR, maxDR }) => (
        <div key={index} className={classes.channel}>
          {toggle(index, `${megahertz(frequency)} MHz`)}
          <span className={classes.fixed}>{megahertz(frequency)} MHz</span>
          {[minDR, maxDR].map((rate, bound) => (
            // oxlint-disable-next-line react/no-array-index-key -- the lowest and the highest
            <span key={bound} className={classes.fixed}>
              <span className={classes.bound}>{bound === 0 ? 'from ' : 'to '}</span>
              {dataRates.find(({ value }) => value === rate)?.label ?? `DR${rate}`}
            </span>
          ))}
        </div>
      ))}
      {settings.extraChannels.map(({ frequency }, place) => {
        const index = plan.channels.length + place;
        return (
          // Channels have no identity, so the index is the key.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={place} className={classes.channel} data-extra>
            {toggle(index, `${megahertz(frequency)} MHz, added`)}
            <MegahertzField name={`extraChannels.${place}.frequency`} required />
            <SelectField name={`extraChannels.${place}.minDR`} options={dataRates} />
            <SelectField name={`extraChannels.${place}.maxDR`} options={dataRates} />
            {!disabled && (
              <ActionIcon
                variant="subtle"
                color="red"
                size={36}
                aria-label={`Delete channel ${index}`}
                onClick={() => onChange(withoutExtra(plan, settings, place))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            )}
          </div>
        );
      })}
      {!disabled && settings.extraChannels.length < plan.mostExtraChannels && (
        <div>
          <Button
            variant="default"
            mt="xs"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange(withExtra(plan, settings, nextExtra(plan, settings)))}
          >
            Add channel
          </Button>
        </div>
      )}
    </div>
  );
}
