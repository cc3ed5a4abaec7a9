import { Group, Paper, Text, Title, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLive } from '../../api/live.ts';
import { type FrameItem, frameKind } from '../../components/frame-log/frame-kind.ts';
import { AppLink } from '../../components/link/link.tsx';
import { useIDs } from '../../components/link/use-ids.ts';
import { formatRSSI } from '../../components/live-log/radio.ts';
import { paths } from '../../paths.ts';
import classes from './gateway.module.css';

const shownFrames = 4;

/** The last frames that a gateway received and sent, the newest first. */
export function LastFrames({ gatewayID }: { gatewayID: string }) {
  const { organizationID } = useIDs();
  const { frames, state } = useLastFrames(gatewayID);
  return (
    <Paper component="section" aria-labelledby="last-frames" className={classes.frames}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Title order={2} id="last-frames">
          Last frames
        </Title>
        <AppLink to={paths.gatewayFrames(organizationID, gatewayID)}>All frames, live</AppLink>
      </Group>
      {frames.length > 0 ? (
        <FrameTable frames={frames} />
      ) : (
        <Text c="dimmed">{state === 'connected' ? 'No frames yet.' : '\u200b'}</Text>
      )}
    </Paper>
  );
}

/** Newest first. The stream begins with stored frames; many frames of one moment cause one rendering. */
function useLastFrames(gatewayID: string) {
  const [frames, setFrames] = useState<readonly FrameItem[]>([]);
  const known = useRef<FrameItem[]>([]);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  const { state } = useLive<FrameItem>(`/api/gateways/${gatewayID}/frames`, (item) => {
    const isKnown = known.current.some((one) => frameKind.identityOf(one) === frameKind.identityOf(item));
    // After a lost connection the stored frames come again.
    if (isKnown) return;
    known.current = [item, ...known.current].slice(0, shownFrames);
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => setFrames(known.current));
  });
  return { frames, state };
}

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const headers = ['Time', 'Type', 'Frequency', 'Data-rate', 'RSSI', 'SNR'];

function FrameTable({ frames }: { frames: readonly FrameItem[] }) {
  return (
    <table className={classes.frameTable}>
      <VisuallyHidden component="thead">
        <tr>
          {headers.map((header) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </VisuallyHidden>
      <tbody>
        {frames.map((frame, row) => (
          // Frames arrive many times a second: rows stay where they are and change their text.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={row}>
            {cellsOf(frame).map((cell, index) => (
              <td key={headers[index]}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function cellsOf(frame: FrameItem): string[] {
  const { at, type } = frameKind.headlineOf(frame);
  const { txInfo } = frame.uplinkFrame ?? frame.downlinkFrame ?? {};
  const reception = frame.uplinkFrame?.rxInfo?.[0];
  const loRa = txInfo?.loRaModulationInfo;
  return [
    at ? timeFormat.format(new Date(at)) : '',
    type,
    txInfo?.frequency ? `${txInfo.frequency / 1e6} MHz` : '',
    loRa ? `SF${loRa.spreadingFactor} BW${loRa.bandwidth}` : '',
    reception ? `${formatRSSI(reception.rssi ?? 0)} dBm` : 'sent',
    reception ? `${(reception.loRaSNR ?? 0).toFixed(1)} dB` : '',
  ];
}
