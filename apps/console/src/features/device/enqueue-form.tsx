import type { Downlink as SentDownlink } from '@hilltop/contract';
import { Select, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { type After, perform } from '../../api/queries.ts';
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
import { useListening } from './use-device.ts';
import { useOffersDownlinks } from './use-downlinks.ts';
import { usePayloadViews } from './use-payload-views.ts';

interface Props {
  devEUI: string;
  /** In a dialog, which has the title and the frame. */
  bare?: boolean;
  /** A downlink that fills the form. */
  again?: Again | undefined;
  onSent?: () => void;
}

/** Enqueues a downlink, then resets the form. */
export function EnqueueForm({ devEUI, bare = false, again, onSent }: Props) {
  const [sent, setSent] = useState(0);
  const [given, setGiven] = useState<Again>();
  const [filledBy, setFilledBy] = useState<Again>();
  if (given !== again) {
    setGiven(again);
    setFilledBy(again);
    setSent(sent + 1);
  }
  const top = useRef<HTMLElement>(null);
  // The form may be out of sight.
  useEffect(() => {
    if (again) top.current?.scrollIntoView({ block: 'nearest' });
  }, [again]);
  const reset = () => {
    setFilledBy(undefined);
    setSent(sent + 1);
    onSent?.();
  };
  return (
    <section ref={top} {...(!bare && { 'aria-labelledby': 'enqueue' })}>
      <Fields key={sent} devEUI={devEUI} bare={bare} again={filledBy} onSent={reset} />
    </section>
  );
}

const views: readonly PayloadView[] = ['hex', 'base64', 'json'];

const hourMs = 3_600_000;
/** How long a downlink may wait. */
const expiries = [
  { value: '', label: 'Never' },
  { value: String(hourMs), label: 'In 1 hour' },
  { value: String(24 * hourMs), label: 'In 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'In 7 days' },
];

interface FieldsProps {
  devEUI: string;
  bare: boolean;
  again: Again | undefined;
  onSent: () => void;
}

function Fields({ devEUI, bare, again, onSent }: FieldsProps) {
  const values = again
    ? { ...emptyDownlink, fPort: again.fPort, confirmed: again.confirmed, data: hexOf(again.data) }
    : emptyDownlink;
  const form = useMessageForm<Downlink>('DeviceQueueItem', { values });
  const payload = usePayloadText(form, 'hex');
  const [expiresIn, setExpiresIn] = useState('');
  const isOffered = useOffersDownlinks();
  const { data: listening } = useListening(false);
  const room = listening && listening.mostBytes > 0 ? listening : undefined;
  const { view, show, problem } = usePayloadViews({ devEUI, form, payload });
  const enqueue = ({ fPort, confirmed, jsonObject }: Downlink) => {
    const bytes = view === 'json' ? { data: null, jsonObject } : { data: payload.bytes!.toBase64(), jsonObject: '' };
    const item = { devEUI, fPort: Number(fPort), confirmed };
    const made: After = { changed: ['deviceQueue', 'downlink'], done: 'device-queue item has been created' };
    if (expiresIn === '') return perform(api.deviceQueue.enqueue({ deviceQueueItem: { ...item, ...bytes } }), made);
    const { data, jsonObject: objectJSON } = bytes;
    const expiresAt = new Date(Date.now() + Number(expiresIn)).toISOString();
    return perform<unknown>(api.downlink.create({ downlink: { ...item, data, objectJSON, expiresAt } }), made);
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
        {isOffered && (
          <Select
            label="Expires"
            data={expiries}
            allowDeselect={false}
            value={expiresIn}
            onChange={(chosen) => setExpiresIn(chosen ?? '')}
          />
        )}
        <CheckboxField name="confirmed" />
      </div>
      <PayloadViews views={views} view={view} onView={show}>
        {view === 'json' ? <ObjectField /> : <PayloadField payload={payload} required room={room} />}
        {problem !== null && (
          <Text size="xs" c="dimmed" role="status">
            {problem}
          </Text>
        )}
      </PayloadViews>
    </MessageForm>
  );
}

/** A downlink that was sent before. */
export type Again = Pick<SentDownlink, 'fPort' | 'confirmed' | 'data'>;

const hexOf = (data: string | null): string => Uint8Array.fromBase64(data ?? '').toHex();

function ObjectField() {
  const field = useField<string>('jsonObject', { validate: jsonProblem, required: true });
  return <CodeEditor {...field} language="json" skeleton="{}" height={160} />;
}
