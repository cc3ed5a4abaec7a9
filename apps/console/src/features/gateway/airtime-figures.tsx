import type { AirtimeChannel, AirtimeDevice, AirtimeNetwork, AirtimeSubBand } from '@hilltop/contract';
import { Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { AppLink } from '../../components/link/link.tsx';
import { Status } from '../../components/status/status.tsx';
import { paths } from '../../paths.ts';
import { dataRateToken } from '../../theme/data-colors.ts';
import classes from './airtime.module.css';
import { formatAirtime, formatMHz, formatShare } from './airtime-words.ts';
import { networkName } from './net-ids.ts';

interface FiguresProps {
  title: string;
  /** The heads of the columns; the second column has a bar. */
  heads: readonly string[];
  empty: string;
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
  below?: ReactNode;
}

/** A card with a small table: names, a bar, and figures. */
function Figures({ title, heads, empty, rows, below }: FiguresProps) {
  const id = useId();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways on narrow screens
    <Paper component="section" aria-labelledby={id} className={classes.card} tabIndex={0}>
      <Title order={2} id={id} mb="xs">
        {title}
      </Title>
      {rows.length === 0 ? (
        <Text c="dimmed">{empty}</Text>
      ) : (
        <table className={classes.figures}>
          <thead>
            <tr>
              {heads.map((head, index) => (
                <th key={head} scope="col" className={index > 1 ? classes.number : undefined}>
                  {index === 1 ? <VisuallyHidden>{head}</VisuallyHidden> : head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, cells }) => (
              <tr key={key}>
                {cells.map((cell, index) => (
                  <td key={heads[index]} className={cellClass(index)}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > 0 && below}
    </Paper>
  );
}

const cellClass = (index: number) => (index === 0 ? classes.name : index === 1 ? classes.wide : classes.number);

interface BarProps {
  parts: readonly { color: string; share: number }[];
  isTrack?: boolean;
}

/** The figures beside it say the same. */
function Bar({ parts, isTrack = false }: BarProps) {
  return (
    <div className={`${classes.bar} ${isTrack ? classes.track : ''}`} aria-hidden>
      {parts.map(({ color, share }) => (
        <span key={color} style={{ width: `${Math.min(share, 1) * 100}%`, background: `var(${color})` }} />
      ))}
    </div>
  );
}

const drName = (dr: number | undefined) => (dr === undefined ? 'other' : `DR${dr}`);
const drColor = (dr: number | undefined) => (dr === undefined ? '--state-never' : dataRateToken(dr));

/** One bar for each channel, stacked by data-rate. */
export function ChannelFigures({ channels, hours }: { channels: readonly AirtimeChannel[]; hours: number }) {
  const byFrequency = Map.groupBy(channels, ({ frequency }) => frequency);
  const sumOf = (of: readonly AirtimeChannel[]) => of.reduce((sum, one) => sum + one.ownMs + one.foreignMs, 0);
  const most = Math.max(...[...byFrequency.values()].map(sumOf), 1);
  const rates = [...new Set(channels.map(({ dr }) => dr))].sort((one, other) => (one ?? 99) - (other ?? 99));
  const rows = [...byFrequency].map(([frequency, of]) => {
    const own = of.reduce((sum, { ownMs }) => sum + ownMs, 0);
    const parts = of.map((one) => ({ color: drColor(one.dr), share: (one.ownMs + one.foreignMs) / most }));
    const spoken = of.map((one) => `${drName(one.dr)} ${formatAirtime(one.ownMs + one.foreignMs)}`).join(', ');
    return {
      key: String(frequency),
      cells: [
        frequency === 0 ? 'other' : `${formatMHz(frequency)} MHz`,
        <div key="bar" title={spoken}>
          <Bar parts={parts} />
          <VisuallyHidden>{spoken}</VisuallyHidden>
        </div>,
        formatAirtime(own),
        formatAirtime(sumOf(of) - own),
        formatShare(sumOf(of) / (hours * 3_600_000)),
      ],
    };
  });
  return (
    <Figures
      title="Received by channel"
      heads={['Channel', 'By data-rate', 'Own', 'Foreign', 'Occupied']}
      empty="No frames."
      rows={rows}
      below={
        <ul className={classes.legend} aria-label="Data-rates">
          {rates.map((dr) => (
            <li key={drName(dr)}>
              <span className={classes.swatch} style={{ background: `var(${drColor(dr)})` }} />
              {drName(dr)}
            </li>
          ))}
        </ul>
      }
    />
  );
}

export function NetworkFigures({ networks }: { networks: readonly AirtimeNetwork[] }) {
  const total = networks.reduce((sum, { ms }) => sum + ms, 0) || 1;
  return (
    <Figures
      title="Foreign networks"
      heads={['Network', 'Share of foreign airtime', 'Airtime', 'Share']}
      empty="No frames of other networks."
      rows={networks.slice(0, 12).map(({ netID, ms }) => ({
        key: netID,
        cells: [
          networkName(netID),
          <Bar key="bar" parts={[{ color: '--data-2', share: ms / total }]} />,
          formatAirtime(ms),
          formatShare(ms / total),
        ],
      }))}
    />
  );
}

export function DeviceFigures({ devices, ownMs }: { devices: readonly AirtimeDevice[]; ownMs: number }) {
  const most = devices[0]?.ms ?? 1;
  return (
    <Figures
      title="Loudest devices"
      heads={['Device', 'Compared with the loudest', 'Airtime', 'Share of own']}
      empty="No frames of own devices."
      rows={devices.map(({ devEUI, name, applicationID, organizationID, ms }, index) => ({
        key: devEUI || `hidden ${index}`,
        cells: [
          devEUI === '' ? (
            <Text key="name" span inherit c="dimmed">
              another organization
            </Text>
          ) : (
            <AppLink key="name" to={paths.device.one(organizationID, applicationID, devEUI)}>
              {name}
            </AppLink>
          ),
          <Bar key="bar" parts={[{ color: '--data-1', share: ms / most }]} />,
          formatAirtime(ms),
          formatShare(ms / (ownMs || 1)),
        ],
      }))}
    />
  );
}

/** The fullest hour of each sub-band against its limit: a gateway keeps to it in any hour. */
export function SubBandFigures({ subBands, hours }: { subBands: readonly AirtimeSubBand[]; hours: number }) {
  return (
    <Figures
      title="Sent by sub-band"
      heads={['Sub-band', 'Fullest hour against the limit', 'Limit', 'Used', 'Mean']}
      empty="This region does not limit how long a gateway sends in a sub-band."
      rows={subBands.map(({ from, to, dutyCycle, sentMs, fullestHourMs }) => {
        const used = fullestHourMs / (dutyCycle * 3_600_000);
        return {
          key: String(from),
          cells: [
            `${formatMHz(from)}–${formatMHz(to)} MHz`,
            <Bar
              key="bar"
              isTrack
              parts={[{ color: used > 0.8 ? '--state-attention' : '--state-active', share: used }]}
            />,
            `${dutyCycle * 100} %`,
            used > 1 ? (
              <Status key="used" tone="attention">
                {formatShare(used)}
              </Status>
            ) : (
              formatShare(used)
            ),
            formatShare(sentMs / (hours * 3_600_000)),
          ],
        };
      })}
      below={
        <Text mt="xs" size="xs" c="dimmed">
          Used: the fullest hour, as a share of the limit. Mean: the share of the whole time.
        </Text>
      }
    />
  );
}
