import type { MyDevicesIntegration } from '@hilltop/contract';
import { hexOf, readEvent } from './event-json.ts';
import { eventUUID } from './event-uuid.ts';
import type { IntegrationAdapter } from './integration.ts';
import { expectSuccess } from './outcome.ts';

/** POSTs uplinks that have a payload of the application. */
export const mydevices: IntegrationAdapter<MyDevicesIntegration> = {
  eventTypes: ['up'],
  deliver: async (event, { config, now, send }) => {
    const read = readEvent(event);
    if (read.type !== 'up' || read.payload.fPort === 0) return;
    const { data, devEUI, fCnt, fPort, rxInfo, txInfo } = read.payload;
    const gateways = rxInfo.map(({ gatewayID, rssi, loRaSNR, location }) => ({
      gatewayID: hexOf(gatewayID),
      rssi,
      loRaSNR,
      location: location && { latitude: location.latitude, longitude: location.longitude },
    }));
    const body = JSON.stringify({
      correlationID: eventUUID(event.id),
      devEUI: hexOf(devEUI),
      data: data || null,
      fCnt,
      fPort,
      rxInfo: gateways.length === 0 ? null : gateways,
      txInfo: { frequency: txInfo?.frequency ?? 0 },
    });
    const headers = [['Content-Type', 'application/json']] as const;
    expectSuccess(await send({ method: 'POST', url: config.endpoint, headers, body, timeoutMs: 10_000 }), now());
  },
};
