import type { PilotThingsIntegration } from '@hilltop/contract';
import { hexOf, readEvent } from './event-json.ts';
import { encodeForm } from './form-encoding.ts';
import type { IntegrationAdapter } from './integration.ts';
import { expectSuccess } from './outcome.ts';

/** POSTs uplinks to the LoRaWAN API of a Pilot Things server. */
export const pilotThings: IntegrationAdapter<PilotThingsIntegration> = {
  eventTypes: ['up'],
  deliver: async (event, { config, now, send }) => {
    const read = readEvent(event);
    if (read.type !== 'up') return;
    const { deviceName, data, devEUI, fPort, devAddr, fCnt, rxInfo } = read.payload;
    const body = JSON.stringify({
      deviceName,
      data: hexOf(data),
      devEUI: hexOf(devEUI),
      fPort,
      devAddr: hexOf(devAddr),
      fcnt: fCnt,
      metadata: rxInfo.map(({ rssi, loRaSNR, rfChain, antenna, board }) => {
        return { rssi, lorasnr: loRaSNR, rfchain: rfChain, antenna, board };
      }),
    });
    // Resolved as a link, like in version 3: it replaces what follows the last slash of the server's path.
    const url = new URL(`om2m/ipe-loraserver/up-link?${encodeForm([['token', config.token]])}`, config.server).href;
    const headers = [['Content-Type', 'application/json']] as const;
    expectSuccess(await send({ method: 'POST', url, headers, body, timeoutMs: 10_000 }), now());
  },
};
