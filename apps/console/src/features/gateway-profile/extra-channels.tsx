import { Button, Fieldset, SimpleGrid } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { NumberField, SelectField } from '../../components/form/fields.tsx';
import { numberListProblem, parseNumbers } from '../../components/form/number-list.ts';
import { TextField } from '../../components/form/text-fields.tsx';
import type { ExtraChannelValues } from './gateway-profile-values.ts';

const modulations = [
  { value: 'LORA', label: 'LoRa' },
  { value: 'FSK', label: 'FSK' },
];

interface Props {
  channels: readonly ExtraChannelValues[];
  onChange: (channels: ExtraChannelValues[]) => void;
}

/** Channels of a gateway-profile beyond those of the region, counted from 1. */
export function ExtraChannels({ channels, onChange }: Props) {
  return channels.map(({ modulation }, index) => (
    // Channels have no identity, so the index is the key.
    // oxlint-disable-next-line react/no-array-index-key
    <Fieldset key={index} legend={`Extra channel ${index + 1}`}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        <SelectField name={`extraChannels.${index}.modulation`} options={modulations} />
        <SelectField name={`extraChannels.${index}.bandwidth`} />
        <NumberField name={`extraChannels.${index}.frequency`} placeholder="867100000" validate={positive} />
        {modulation === 'LORA' && (
          <TextField
            name={`extraChannels.${index}.spreadingFactors`}
            required
            placeholder="7, 8, 9, 10, 11, 12"
            validate={spreadingFactorsProblem}
          />
        )}
        {modulation === 'FSK' && (
          <NumberField name={`extraChannels.${index}.bitrate`} required placeholder="50000" validate={positive} />
        )}
      </SimpleGrid>
      <Button
        variant="subtle"
        color="red"
        size="xs"
        leftSection={<IconTrash size={14} />}
        mt="sm"
        ml={-8}
        onClick={() => onChange(channels.filter((_channel, at) => at !== index))}
      >
        {`Delete extra channel ${index + 1}`}
      </Button>
    </Fieldset>
  ));
}

const positive = (value: number) => (value > 0 ? null : 'This must be greater than 0.');

function spreadingFactorsProblem(text: string): string | null {
  const outside = parseNumbers(text).find((factor) => factor < 5 || factor > 12);
  return numberListProblem(text) ?? (outside === undefined ? null : `SF${outside} does not exist: 5 to 12 do.`);
}
