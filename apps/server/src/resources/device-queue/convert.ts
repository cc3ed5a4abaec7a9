import { atField, notFound, type Operations, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { DeviceContexts } from '../../events/device-context.ts';
import type { Handlers } from '../../http/call.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { CodecError } from '../../payload-codecs/codec-error.ts';
import { isObject, payloadBytes } from './payload.ts';

interface Dependencies {
  clock: Clock;
  codecs: PayloadCodecs;
  devices: DeviceContexts;
}

/** Runs the codec of a device on a payload, for a preview. */
export function downlinkPayloadRoutes({
  clock,
  codecs,
  devices,
}: Dependencies): Handlers<Operations['downlinkPayload']> {
  return {
    convert: async ({ devEUI, ...payload }) => {
      const device = await devices.of(devEUI);
      if (!device) throw notFound('device', devEUI);
      const bytes = await payloadBytes(codecs, device, payload, 'jsonObject');
      const data = bytes.toBase64();
      if (isObject(payload)) return { data, jsonObject: payload.jsonObject };
      const { codec, variables, applicationID } = device;
      try {
        const given = {
          application: String(applicationID),
          fPort: payload.fPort,
          bytes,
          variables,
          receivedAt: clock.now(),
        };
        const { objectJSON } = await codecs.decode(codec, given);
        return { data, jsonObject: objectJSON };
      } catch (error) {
        if (error instanceof CodecError) throw atField('data', refusal('NOT_DECODED', { problem: error.message }));
        throw error;
      }
    },
  };
}
