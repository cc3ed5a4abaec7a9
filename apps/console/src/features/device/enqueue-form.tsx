import { Text, Title } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { perform } from '../../api/queries.ts';
import { CodeEditor } from '../../components/code-editor/code-editor.tsx';
import downlink from '../../components/downlink/downlink.module.css';
import { jsonProblem } from '../../components/downlink/json-object.ts';
import { PayloadField, usePayloadText } from '../../components/downlink/payload-field.tsx';
import { type PayloadView, PayloadViews } from '../../components/downlink/payload-views.tsx';
import { CheckboxField, NumberField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { type Downlink, emptyDownlink } from './downlink.ts';
import { usePayloadViews } from './use-payload-views.ts';

interface Props {
  devEUI: string;
  /** In a dialog, which has the title and the frame. */
  bare?: boolean;
  onSent?: () => void;
}

/** Enqueues a downlink, then resets the form. */
export function EnqueueForm({ devEUI, bare = false, onSent }: Props) {
  const [sent, setSent] = useState(0);
  const reset = () => {
    setSent(sent + 1);
    onSent?.();
  };
  const fields = <Fields key={sent} devEUI={devEUI} bare={bare} onSent={reset} />;
  if (bare) return fields;
  return <section aria-labelledby="enqueue">{fields}</section>;
}

const views: readonly PayloadView[] = ['base64', 'hex', 'json'];

function Fields({ devEUI, bare, onSent }: Required<Props>) {
  const form = useMessageForm<Downlink>('DeviceQueueItem', { values: emptyDownlink });
  const payload = usePayloadText(form);
  const { view, show, problem } = usePayloadViews({ devEUI, form, payload });
  const enqueue = ({ fPort, confirmed, jsonObject }: Downlink) => {
    const bytes = view === 'json' ? { data: null, jsonObject } : { data: payload.bytes!.toBase64(), jsonObject: '' };
    return perform(
      api.deviceQueue.enqueue({ deviceQueueItem: { devEUI, fPort: Number(fPort), confirmed, ...bytes } }),
      {
        changed: ['deviceQueue'],
        done: 'device-queue item has been created',
      },
    );
  };
  return (
    <MessageForm
      form={form}
      submit="Enqueue payload"
      wide
      bare={bare}
      guarded={false}
      onSubmit={enqueue}
      onSaved={onSent}
    >
      {!bare && (
        <Title order={2} id="enqueue">
          Enqueue downlink payload
        </Title>
      )}
      <div className={downlink.row}>
        <NumberField name="fPort" />
        <CheckboxField name="confirmed" />
      </div>
      <PayloadViews views={views} view={view} onView={show}>
        {view === 'json' ? <ObjectField /> : <PayloadField payload={payload} required />}
        {problem !== null && (
          <Text size="xs" c="dimmed" role="status">
            {problem}
          </Text>
        )}
      </PayloadViews>
    </MessageForm>
  );
}

function ObjectField() {
  const field = useField<string>('jsonObject', { validate: jsonProblem, required: true });
  return <CodeEditor {...field} language="json" skeleton="{}" height={160} />;
}
