import { FormTabs } from '../../components/form/form-tabs.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { ClassBTab, ClassCTab, CodecTab, GeneralTab, JoinTab, TagsTab } from './device-profile-tabs.tsx';
import type { DeviceProfileValues } from './device-profile-values.ts';

interface Props {
  initial: DeviceProfileValues;
  organizationID: string;
  isNew?: boolean;
  submit: string;
  disabled?: boolean;
  onSubmit: (values: DeviceProfileValues) => Promise<unknown>;
  onSaved: () => void;
}

export function DeviceProfileForm({
  initial,
  organizationID,
  isNew = false,
  submit,
  disabled = false,
  onSubmit,
  onSaved,
}: Props) {
  const form = useMessageForm('DeviceProfile', { values: initial });
  const { values } = form;
  return (
    <MessageForm form={form} submit={submit} disabled={disabled} onSubmit={onSubmit} onSaved={onSaved}>
      <FormTabs
        tabs={[
          {
            value: 'general',
            label: 'General',
            content: <GeneralTab values={values} organizationID={organizationID} isNew={isNew} />,
          },
          { value: 'join', label: 'Join (OTAA / ABP)', content: <JoinTab values={values} /> },
          { value: 'class-b', label: 'Class-B', content: <ClassBTab values={values} /> },
          { value: 'class-c', label: 'Class-C', content: <ClassCTab /> },
          { value: 'codec', label: 'Codec', content: <CodecTab values={values} /> },
          { value: 'tags', label: 'Tags', content: <TagsTab /> },
        ]}
      />
    </MessageForm>
  );
}
