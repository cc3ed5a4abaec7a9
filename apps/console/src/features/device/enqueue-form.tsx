import { Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { CodeEditor } from '../../components/code-editor/code-editor.tsx';
import { CheckboxField, NumberField } from '../../components/form/fields.tsx';
import { FormTabs } from '../../components/form/form-tabs.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { TextField } from '../../components/form/text-fields.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { type Downlink, dataProblem, emptyDownlink, jsonProblem } from './downlink.ts';

/** Enqueues a downlink, then resets the form. */
export function EnqueueForm({ devEUI }: { devEUI: string }) {
  const [sent, setSent] = useState(0);
  return (
    <section aria-labelledby="enqueue">
      <Fields key={sent} devEUI={devEUI} onSent={() => setSent(sent + 1)} />
    </section>
  );
}

function Fields({ devEUI, onSent }: { devEUI: string; onSent: () => void }) {
  const form = useMessageForm<Downlink>('DeviceQueueItem', { values: emptyDownlink });
  const enqueue = ({ fPort, confirmed, data, jsonObject }: Downlink) => {
    const item = { devEUI, fPort: Number(fPort), confirmed, data: data.trim() || null, jsonObject };
    return perform(api.deviceQueue.enqueue({ deviceQueueItem: item }), {
      changed: ['deviceQueue'],
      done: 'device-queue item has been created',
    });
  };
  const { jsonObject } = form.values;
  return (
    <MessageForm form={form} submit="Enqueue payload" wide guarded={false} onSubmit={enqueue} onSaved={onSent}>
      <Title order={2} id="enqueue">
        Enqueue downlink payload
      </Title>
      <NumberField name="fPort" />
      <CheckboxField name="confirmed" />
      <FormTabs
        tabs={[
          { value: 'base64', label: 'Base64 encoded', content: <DataField jsonObject={jsonObject} /> },
          { value: 'json', label: 'JSON object', content: <ObjectField /> },
        ]}
      />
    </MessageForm>
  );
}

function DataField({ jsonObject }: { jsonObject: string }) {
  const isNeeded = jsonObject.trim() === '';
  return <TextField name="data" required={isNeeded} validate={(data: string) => dataProblem(data, jsonObject)} />;
}

function ObjectField() {
  const field = useField<string>('jsonObject', { validate: jsonProblem });
  return <CodeEditor {...field} language="json" skeleton="{}" height={160} />;
}
