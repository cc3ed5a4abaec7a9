import type { Operations } from '@hilltop/contract';
import type { Log, SimulatedDataRate } from '@hilltop/network-server';
import type { Handlers } from '../../http/call.ts';
import { createThrottle } from '../../identity/throttle.ts';
import type { Metrics } from '../../metrics.ts';
import { RetryLater } from '../../retry-later.ts';
import { loadSimulatedDevice, type SimulatedUplinkDependencies, sendSimulatedUplink } from './simulated-uplink.ts';

/** Of one application: enough to test a dashboard, too few for a flood. */
const sentPerMinute = 60;

interface SimulatedUplinkRoutesDependencies extends SimulatedUplinkDependencies {
  log: Log;
  metrics: Pick<Metrics, 'count'>;
}

/** Uplinks that users send in the name of a device. */
export function simulatedUplinkRoutes(
  needs: SimulatedUplinkRoutesDependencies,
): Handlers<Operations['simulatedUplink']> {
  const { clock, log, metrics } = needs;
  const sent = createThrottle(sentPerMinute, () => clock.monotonicMs());

  return {
    getOptions: async ({ devEUI }) => {
      const { radio } = await loadSimulatedDevice(needs, devEUI);
      const dataRates = radio.dataRates.map((one) => ({
        dr: one.dr,
        modulation: modulationText(one),
        maxBytes: one.maxBytes,
      }));
      return { dataRates, dr: radio.dr };
    },

    send: async (request) => {
      const { devEUI } = request;
      const simulated = await loadSimulatedDevice(needs, devEUI);
      const seconds = sent.take(String(simulated.device.applicationID));
      if (seconds > 0) throw new RetryLater(seconds, 'simulated uplinks');
      const events = await sendSimulatedUplink(needs, simulated, request);
      const up = events.at(-1)!;
      const error = events.find(({ type }) => type === 'error');
      metrics.count('uplinks_simulated');
      log.info({ devEUI, eventID: up.id }, 'A user sent a simulated uplink.');
      return {
        eventID: up.id,
        payloadJSON: up.json(),
        noteJSON: up.note ? JSON.stringify(up.note) : '',
        codecError: error?.type === 'error' ? error.payload.error : '',
      };
    },
  };
}

function modulationText({ txInfo }: SimulatedDataRate): string {
  const { loRaModulationInfo: loRa, fskModulationInfo: fsk, lrFHSSModulationInfo: lrFHSS } = txInfo;
  if (loRa) return `SF${loRa.spreadingFactor}, ${loRa.bandwidth} kHz`;
  if (fsk) return `FSK, ${fsk.datarate / 1000} kbit/s`;
  return `LR-FHSS, ${(lrFHSS?.operatingChannelWidth ?? 0) / 1000} kHz`;
}
