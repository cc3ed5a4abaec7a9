import type { MulticastGroup } from '@hilltop/contract';
import { NumberField, SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { HexField } from '../../components/hex-input/hex-field.tsx';
import type { ResourceFormProps } from '../../components/resource/resource-form.ts';
import { Explained } from '../../components/words/explained.tsx';

export const emptyGroup: MulticastGroup = {
  id: '',
  name: '',
  mcAddr: '',
  mcNwkSKey: '',
  mcAppSKey: '',
  fCnt: 0,
  groupType: 'CLASS_C',
  dr: 0,
  frequency: 0,
  pingSlotPeriod: 32,
  applicationID: '',
};

export function MulticastGroupForm({ initial, ...rest }: ResourceFormProps<MulticastGroup>) {
  const form = useMessageForm('MulticastGroup', { values: initial });
  const isClassB = form.values.groupType === 'CLASS_B';
  return (
    <MessageForm form={form} {...rest}>
      <TextField name="name" />
      <HexField name="mcAddr" bytes={4} random />
      <HexField name="mcNwkSKey" bytes={16} random secret />
      <HexField name="mcAppSKey" bytes={16} random secret />
      <NumberField name="fCnt" />
      <NumberField name="dr" />
      <Explained word="dataRate" />
      <NumberField
        name="frequency"
        help={
          isClassB
            ? 'The frequency on which the devices listen. 0 uses the default of the region.'
            : 'The frequency on which the devices listen.'
        }
        validate={(frequency: number) => (frequency === 0 && !isClassB ? 'Enter the frequency in Hz.' : null)}
      />
      <SelectField name="groupType" />
      {isClassB && <SelectField name="pingSlotPeriod" placeholder="Choose ..." />}
    </MessageForm>
  );
}
