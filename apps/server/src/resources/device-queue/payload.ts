import { atField, type DeviceQueueItem, mostQueuedBytes, refusal } from '@hilltop/contract';
import type { DeviceContext } from '../../events/device-context.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { CodecError } from '../../payload-codecs/codec-error.ts';

type Payload = Pick<DeviceQueueItem, 'fPort' | 'data' | 'jsonObject'>;

/** Whether the payload is given as object, which takes precedence over the bytes. */
export const isObject = ({ jsonObject }: Pick<Payload, 'jsonObject'>): boolean =>
  jsonObject !== '' && jsonObject !== 'null';

/** The bytes of a downlink. `field` names the object in the request, for the refusal `NOT_ENCODED`. */
export async function payloadBytes(
  codecs: PayloadCodecs,
  { codec, variables, applicationID }: DeviceContext,
  payload: Payload,
  field: string,
): Promise<Uint8Array> {
  const { fPort, data, jsonObject } = payload;
  if (!isObject(payload)) return Uint8Array.fromBase64(data ?? '');
  try {
    const application = String(applicationID);
    const { bytes } = await codecs.encode(codec, { application, fPort, json: jsonObject, variables });
    if (bytes.length <= mostQueuedBytes) return bytes;
    throw new CodecError(`Encode answered ${bytes.length} bytes. At most ${mostQueuedBytes} can be sent.`);
  } catch (error) {
    if (error instanceof CodecError) throw atField(field, refusal('NOT_ENCODED', { problem: error.message }));
    throw error;
  }
}
