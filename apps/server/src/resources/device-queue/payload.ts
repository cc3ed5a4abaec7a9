import { atField, type DeviceQueueItem, mostQueuedBytes, refusal } from '@hilltop/contract';
import type { DeviceContext } from '../../events/device-context.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { CodecError } from '../../payload-codecs/codec-error.ts';

type Payload = Pick<DeviceQueueItem, 'fPort' | 'data' | 'jsonObject'>;

/** Whether the payload is given as object, which takes precedence over the bytes. */
export const isObject = ({ jsonObject }: Pick<Payload, 'jsonObject'>): boolean =>
  jsonObject !== '' && jsonObject !== 'null';

/** The bytes of a downlink. `field` names the object in the request, for the refusal `NOT_ENCODED`. */
export async function payloadBytes(...given: Parameters<typeof encodedPayload>): Promise<Uint8Array> {
  return (await encodedPayload(...given)).bytes;
}

/** The same with the port: the one of the codec when the payload has none. */
export async function encodedPayload(
  codecs: PayloadCodecs,
  { codec, variables, applicationID }: DeviceContext,
  payload: Payload,
  field: string,
): Promise<{ bytes: Uint8Array; fPort: number }> {
  const { fPort, data, jsonObject } = payload;
  if (!isObject(payload)) return { bytes: Uint8Array.fromBase64(data ?? ''), fPort };
  try {
    const application = String(applicationID);
    const encoded = await codecs.encode(codec, { application, fPort, json: jsonObject, variables });
    const { bytes } = encoded;
    if (bytes.length <= mostQueuedBytes) return { bytes, fPort: fPort || encoded.fPort };
    throw new CodecError(`Encode answered ${bytes.length} bytes. At most ${mostQueuedBytes} can be sent.`);
  } catch (error) {
    if (error instanceof CodecError) throw atField(field, refusal('NOT_ENCODED', { problem: error.message }));
    throw error;
  }
}
