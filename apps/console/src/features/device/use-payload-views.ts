import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { jsonProblem, prettyJson } from '../../components/downlink/json-object.ts';
import type { PayloadText } from '../../components/downlink/payload-field.tsx';
import type { PayloadView } from '../../components/downlink/payload-views.tsx';
import type { MessageFormState } from '../../components/form/use-message-form.ts';
import { type Downlink } from './downlink.ts';

interface Of {
  devEUI: string;
  form: MessageFormState<Downlink>;
  payload: PayloadText;
}

/** Used to convert while no port is given yet. */
const anyPort = 1;

/**
 * The views of the payload of a downlink. Bytes and object follow each other through the codec of the device, if the
 * server converts payloads.
 */
export function usePayloadViews({ devEUI, form, payload }: Of) {
  const { values } = form;
  const [view, setView] = useState<PayloadView>('hex');
  const [problem, setProblem] = useState<string | null>(null);
  const { data: converts = false } = useQuery({
    queryKey: ['offered', 'downlinkPayload'],
    queryFn: () => api.downlinkPayload.convert.isOffered(),
    staleTime: Infinity,
  });
  const fPort = Number(values.fPort) || anyPort;

  async function toObject(bytes: Uint8Array) {
    const answer = await api.downlinkPayload.convert({ devEUI, fPort, data: bytes.toBase64() });
    if (answer.jsonObject !== '') form.set('jsonObject', prettyJson(answer.jsonObject));
  }

  async function toBytes(format: 'hex' | 'base64', jsonObject: string) {
    const answer = await api.downlinkPayload.convert({ devEUI, fPort, jsonObject });
    payload.replace(format, Uint8Array.fromBase64(answer.data ?? ''));
  }

  function follow(next: PayloadView): Promise<void> | undefined {
    const { jsonObject } = values;
    if (next === 'json') {
      const { bytes, isUnsure } = payload;
      return bytes && bytes.length > 0 && !isUnsure ? toObject(bytes) : undefined;
    }
    if (view !== 'json' || jsonObject.trim() === '' || jsonProblem(jsonObject) !== null) return undefined;
    return toBytes(next, jsonObject);
  }

  async function show(next: PayloadView) {
    if (next === view) return;
    setProblem(null);
    setView(next);
    if (next !== 'json') payload.show(next);
    try {
      if (converts) await follow(next);
    } catch (error) {
      setProblem(`Not converted: ${(error as Error).message}`);
    }
  }

  return { view, show: (next: PayloadView) => void show(next), problem };
}
