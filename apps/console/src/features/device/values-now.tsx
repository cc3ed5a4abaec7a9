import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { formatExact } from '../../components/last-seen/dates.ts';
import { bestReception, formatRSSI, formatSNR } from '../../components/live-log/radio.ts';
import { Status } from '../../components/status/status.tsx';
import { batteryText } from './device-status.tsx';
import classes from './device-values.module.css';
import { decodedValues, isSimulatedEvent, payloadOf } from './event-kind.ts';
import { useDeviceAndProfile } from './use-device.ts';
import { useKnownEvents } from './use-last-events.tsx';
import { useQuantities } from './use-quantities.ts';

const mostValues = 32;
const tickMs = 1000;

/** The last uplink and its values, live, in large type. */
export function ValuesNow({ devEUI }: { devEUI: string }) {
  const { up, decoded } = useKnownEvents();
  const quantitiesOf = useQuantities(devEUI, decoded);
  const { device, profile } = useDeviceAndProfile();
  const battery = device.data?.deviceStatusBattery;
  const { rxInfo = [], txInfo, dr } = up ? payloadOf(up) : {};
  const best = bestReception(rxInfo);
  const spreading = txInfo?.loRaModulationInfo?.spreadingFactor;
  const dataRate = spreading ? `SF${spreading}` : up && `DR${dr ?? 0}`;
  // Until the profile is known its values have their room, so that nothing below them moves.
  const hasCodec = profile.isPending || (profile.data?.deviceProfile.payloadCodec ?? '') !== '';
  const values = decoded ? decodedValues(decoded, mostValues, quantitiesOf(decoded)) : [];
  return (
    <Paper component="section" aria-labelledby="values-now">
      <Title order={2} id="values-now" mb="xs">
        Now
      </Title>
      <dl className={classes.now}>
        <Figure name="Last uplink">{up?.publishedAt ? <Age at={up.publishedAt} /> : 'Never'}</Figure>
        <Figure name="RSSI">{best && `${formatRSSI(best.rssi ?? 0)} dBm`}</Figure>
        <Figure name="SNR">{best && `${formatSNR(best.loRaSNR ?? 0)} dB`}</Figure>
        <Figure name="Data-rate">{dataRate}</Figure>
        <Figure name="Gateways">{rxInfo.length > 0 && rxInfo.length}</Figure>
        <Figure name="Battery">{battery !== undefined && batteryText(battery)}</Figure>
      </dl>
      {(values.length > 0 || hasCodec) && (
        <div className={classes.decoded}>
          {decoded && isSimulatedEvent(payloadOf(decoded)) && <Status tone="attention">simulated</Status>}
          <dl className={classes.now} aria-label="Decoded values">
            {values.map(({ name, text }) => (
              <Figure key={name} name={name || 'value'}>
                {text}
              </Figure>
            ))}
          </dl>
        </div>
      )}
    </Paper>
  );
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children || '–'}</dd>
    </div>
  );
}

/** "12 s ago", to the second: an installer who carries the device waits for the next uplink. */
function Age({ at }: { at: string }) {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(at)) / 1000));
  return (
    <time dateTime={at} title={formatExact(at)}>
      {ageText(seconds)}
    </time>
  );
}

export function ageText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  const hours = Math.floor(seconds / 3600);
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
}
