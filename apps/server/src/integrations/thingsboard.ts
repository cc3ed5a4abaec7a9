import type { ThingsBoardIntegration } from '@hilltop/contract';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import { leavesOf } from './decoded-object.ts';
import { bestReception, hexOf, objectOf, type ReadEvent, readEvent } from './event-json.ts';
import type { IntegrationAdapter } from './integration.ts';
import { isLate } from './late-events.ts';
import { expectSuccess } from './outcome.ts';

const accessToken = 'ThingsBoardAccessToken';

/** Sends attributes and then telemetry of devices with an access token among their variables. */
export const thingsboard: IntegrationAdapter<ThingsBoardIntegration> = {
  eventTypes: ['up', 'status', 'location'],
  deliver: async (event, { config, now, once, send, variables }) => {
    const token = (await variables(event.devEUI))[accessToken];
    if (!token) return;
    const read = readEvent(event);
    const telemetry = sorted(telemetryOf(read));
    const bodies = {
      attributes: sorted(attributesOf(read)),
      telemetry: isLate(event, now()) ? { ts: event.at.getTime(), values: telemetry } : telemetry,
    };
    for (const [part, body] of Object.entries(bodies))
      await once(part, async () => {
        const response = await send({
          method: 'POST',
          url: `${config.server.replace(/\/+$/, '')}/api/v1/${encodeURIComponent(token)}/${part}`,
          headers: [['Content-Type', 'application/json']],
          body: JSON.stringify(body),
          timeoutMs: 10_000,
          redact: [token, encodeURIComponent(token)],
        });
        if (response.status === 401) throw wrongToken();
        expectSuccess(response, now());
      });
  },
};

/** Each device has its own token, so the event is at fault and events of other devices continue. */
function wrongToken(): DeliveryError {
  const message = `ThingsBoard does not know the access token of this device (401). Check its variable ${accessToken}.`;
  return new DeliveryError('event', message, { status: 401 });
}

type Values = Readonly<Record<string, unknown>>;

function sorted(members: Values): Values {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function attributesOf({ payload }: ReadEvent): Values {
  return {
    ...payload.tags,
    application_name: payload.applicationName,
    application_id: payload.applicationID,
    device_name: payload.deviceName,
    dev_eui: hexOf(payload.devEUI),
  };
}

function telemetryOf(event: ReadEvent): Values {
  switch (event.type) {
    case 'up': {
      const { fPort, fCnt, dr, rxInfo } = event.payload;
      const best = bestReception(rxInfo);
      const values = leavesOf(objectOf(event.payload)).map(({ path, value }) => [['data', ...path].join('_'), value]);
      return {
        ...Object.fromEntries(values),
        fport: fPort,
        fcnt: fCnt,
        dr,
        ...(best && { rssi: best.rssi, snr: best.loRaSNR }),
      };
    }
    case 'status': {
      const { margin, externalPowerSource, batteryLevel, batteryLevelUnavailable } = event.payload;
      return {
        status_margin: margin,
        status_external_power_source: externalPowerSource,
        status_battery_level: batteryLevel,
        status_battery_level_unavailable: batteryLevelUnavailable,
      };
    }
    case 'location': {
      const { latitude = 0, longitude = 0, altitude = 0 } = event.payload.location ?? {};
      return { location_latitude: latitude, location_longitude: longitude, location_altitude: altitude };
    }
    default:
      return {};
  }
}
