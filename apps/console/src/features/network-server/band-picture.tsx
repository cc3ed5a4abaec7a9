import type { RadioPlan } from '@hilltop/contract';
import classes from './radio.module.css';
import { megahertz, type ShownChannel } from './radio-channels.ts';

interface Props {
  plan: RadioPlan;
  channels: readonly ShownChannel[];
  rx2Frequency: number;
}

/** The used part of the band: channels as bars, the second receive window, and legal limits. */
export function BandPicture({ plan, channels, rx2Frequency }: Props) {
  const frequencies = [...channels.map(({ frequency }) => frequency), rx2Frequency];
  const [lowest, highest] = [Math.min(...frequencies), Math.max(...frequencies)];
  const margin = Math.max((highest - lowest) * 0.04, 200_000);
  const from = lowest - margin;
  const width = highest + margin - from;
  const at = (frequency: number) => `${((frequency - from) / width) * 100}%`;
  const share = (hertz: number) => `${(hertz / width) * 100}%`;
  const on = channels.filter(({ isOn }) => isOn).length;
  const areFew = channels.length <= 16;
  return (
    <div
      className={classes.picture}
      role="img"
      aria-label={`${plan.region}: ${on} of ${channels.length} channels are on, RX2 is on ${megahertz(rx2Frequency)} MHz`}
    >
      {plan.limits
        .filter(({ minFrequency, maxFrequency }) => maxFrequency > from && minFrequency < from + width)
        .map(({ minFrequency, maxFrequency, dutyCycle }) => (
          <span
            key={minFrequency}
            className={classes.limit}
            style={{
              left: at(Math.max(minFrequency, from)),
              width: share(Math.min(maxFrequency, from + width) - Math.max(minFrequency, from)),
            }}
          >
            {dutyCycle < 1 && `${dutyCycle * 100} %`}
          </span>
        ))}
      {channels.map((channel) => {
        const { index, frequency, bandwidth, isOn } = channel;
        return (
          <span key={index}>
            {areFew && (
              <span className={classes.number} style={{ left: at(frequency) }}>
                {index}
              </span>
            )}
            <span
              className={classes.bar}
              data-on={isOn || undefined}
              data-wide={bandwidth > 125 || undefined}
              title={`Channel ${index}, ${megahertz(frequency)} MHz: ${isOn ? 'on' : 'off'}`}
              style={{ left: at(frequency - bandwidth * 500), width: share(bandwidth * 1000) }}
            />
          </span>
        );
      })}
      <span
        className={classes.marker}
        data-left={rx2Frequency > from + width * 0.85 || undefined}
        style={{ left: at(rx2Frequency) }}
      >
        <span>RX2</span>
      </span>
      <div className={classes.axis}>
        {ticksOf(from, width).map((tick) => (
          <span key={tick} className={classes.tick} style={{ left: at(tick) }}>
            {megahertz(tick)}
          </span>
        ))}
      </div>
    </div>
  );
}

const steps = [200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000];

/** At most six ticks, so that they do not overlap on a phone, and none that would be cut off. */
function ticksOf(from: number, width: number): number[] {
  const step = steps.find((one) => width / one <= 6) ?? 50_000_000;
  const [first, last] = [from + width * 0.05, from + width * 0.95];
  const count = Math.floor(last / step) - Math.ceil(first / step) + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, place) => (Math.ceil(first / step) + place) * step);
}
