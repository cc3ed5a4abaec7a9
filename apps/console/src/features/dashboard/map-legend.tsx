import { Checkbox } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { gatewayTones, toneWords } from '../../components/status/gateway-tone.ts';
import { Status } from '../../components/status/status.tsx';
import classes from './map-legend.module.css';

type Tone = keyof typeof toneWords;

interface HiddenTones {
  readonly hidden: readonly Tone[];
  toggle: (tone: Tone) => void;
}

/** The statuses that the map hides, stored in the URL: `?hide=active,never`. */
export function useHiddenTones(): HiddenTones {
  const { hide = '', ...address }: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const hidden = useMemo(() => gatewayTones.filter((tone) => hide.split(',').includes(tone)), [hide]);
  function toggle(tone: Tone) {
    const next = gatewayTones.filter((one) => hidden.includes(one) !== (one === tone));
    void navigate({
      to: '.',
      replace: true,
      resetScroll: false,
      search: { ...address, hide: next.join(',') || undefined },
    });
  }
  return { hidden, toggle };
}

interface Props extends HiddenTones {
  points: readonly { tone: Tone }[];
  /** Switches of other layers. */
  children?: ReactNode;
}

/** The marker colours with their meaning, the number of gateways, and a switch for each. */
export function MapLegend({ points, hidden, toggle, children }: Props) {
  return (
    <fieldset className={classes.legend} aria-label="Shown on the map">
      {gatewayTones.map((tone) => (
        <Checkbox
          key={tone}
          size="xs"
          checked={!hidden.includes(tone)}
          onChange={() => toggle(tone)}
          label={
            <Status tone={tone}>
              {`${toneWords[tone]}: ${points.filter((point) => point.tone === tone).length.toLocaleString('en')}`}
            </Status>
          }
        />
      ))}
      {children}
      <div className={classes.note}>A cluster is red when one of its gateways is offline.</div>
    </fieldset>
  );
}
