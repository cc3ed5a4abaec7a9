import type { SimulatedUplinkOptions } from '@hilltop/contract';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { CodeEditor } from '../../components/code-editor/code-editor.tsx';
import downlink from '../../components/downlink/downlink.module.css';
import { jsonProblem } from '../../components/downlink/json-object.ts';
import { PayloadField, usePayloadText } from '../../components/downlink/payload-field.tsx';
import { type PayloadView, PayloadViews } from '../../components/downlink/payload-views.tsx';
import { NumberField, SelectField } from '../../components/form/fields.tsx';
import { MessageForm } from '../../components/form/message-form.tsx';
import { useField } from '../../components/form/use-field.ts';
import { useMessageForm } from '../../components/form/use-message-form.ts';
import { FormSkeleton } from '../../components/states/form-skeleton.tsx';
import { InlineError } from '../../components/states/states.tsx';
import { payloadOf } from './event-kind.ts';
import { type SentUplink, SimulatedUplinkResult } from './simulated-uplink-result.tsx';
import { useKnownEvents } from './use-last-events.tsx';

interface Values {
  fPort: number | '';
  dr: number;
  rssi: number | '';
  snr: number | '';
  /** The bytes as text in the format of the form. */
  data: string;
  objectJSON: string;
}

/** A reception of usual quality. */
const usualSignal = { rssi: -60, snr: 9 } as const;
const views: readonly PayloadView[] = ['hex', 'base64', 'json'];

/** The form of a simulated uplink, and below it what became of the last one. */
export function SimulatedUplink({ devEUI, onLeave }: { devEUI: string; onLeave: () => void }) {
  const options = useQuery({ ...query('simulatedUplink', 'getOptions', { devEUI }), staleTime: 0, gcTime: 0 });
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        Sends an uplink in the name of this device through a simulated gateway. The codec, the integrations and MQTT
        handle it like any other; its events have the tag <code>simulated</code>. The device, its session, its last-seen
        time and all statistics stay as they are.
      </Text>
      {options.data && <Fields devEUI={devEUI} options={options.data} onLeave={onLeave} />}
      {options.isPending && <FormSkeleton />}
      <InlineError error={options.data ? null : options.error} />
    </Stack>
  );
}

interface FieldsProps {
  devEUI: string;
  options: SimulatedUplinkOptions;
  onLeave: () => void;
}

function Fields({ devEUI, options, onLeave }: FieldsProps) {
  const { up } = useKnownEvents();
  const [initial] = useState<Values>(() => ({
    fPort: (up && payloadOf(up).fPort) || '',
    dr: options.dataRates.some(({ dr }) => dr === options.dr) ? options.dr : (options.dataRates[0]?.dr ?? 0),
    ...usualSignal,
    data: '',
    objectJSON: '',
  }));
  const form = useMessageForm<Values>('SendSimulatedUplinkRequest', { values: initial });
  const payload = usePayloadText(form, 'hex');
  const [view, setView] = useState<PayloadView>('hex');
  const [sent, setSent] = useState<SentUplink | null>(null);
  const count = useRef(0);
  const { values } = form;
  const show = (next: PayloadView) => {
    setView(next);
    if (next !== 'json') payload.show(next);
  };
  const send = async ({ fPort, dr, rssi, snr, objectJSON }: Values) => {
    const bytes = view === 'json' ? { objectJSON } : { data: payload.bytes!.toBase64() };
    const signal = { rssi: Number(rssi), snr: Number(snr) };
    setSent(null);
    const answer = await perform(api.simulatedUplink.send({ devEUI, fPort: Number(fPort), dr, ...signal, ...bytes }));
    count.current += 1;
    setSent({ ...answer, nth: count.current });
    // The form stays open for the next uplink.
    form.accept({ ...values });
  };
  const most = options.dataRates.find(({ dr }) => dr === values.dr)?.maxBytes;
  return (
    <>
      <MessageForm form={form} submit="Send uplink" bare guarded={false} onSubmit={send}>
        <div className={downlink.pair}>
          <NumberField name="fPort" />
          <SelectField
            name="dr"
            help={most === undefined ? '' : `At most ${most} bytes.`}
            options={options.dataRates.map(({ dr, modulation }) => ({ value: dr, label: `DR${dr}: ${modulation}` }))}
          />
        </div>
        <div className={downlink.pair}>
          <NumberField name="rssi" required />
          <NumberField name="snr" required />
        </div>
        <PayloadViews views={views} view={view} onView={show}>
          {view === 'json' ? <ObjectField /> : <PayloadField payload={payload} />}
        </PayloadViews>
      </MessageForm>
      {sent && <SimulatedUplinkResult key={sent.nth} devEUI={devEUI} sent={sent} onLeave={onLeave} />}
    </>
  );
}

function ObjectField() {
  const field = useField<string>('objectJSON', { validate: jsonProblem, required: true });
  return <CodeEditor {...field} language="json" skeleton="{}" height={160} />;
}
