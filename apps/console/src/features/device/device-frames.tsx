import { Alert, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { startDownload } from '../../components/download/start-download.ts';
import { FrameFilters } from '../../components/frame-log/frame-filters.tsx';
import { useFrameFilter } from '../../components/frame-log/use-frame-filter.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';
import { filterNow } from '../../components/live-log/use-address-filter.ts';
import { type DeviceFrameItem, deviceFrameKind, frameHistory } from './frame-history.ts';

/** A live frame has an address a moment later, when its stored one was read. */
const linkOf = ({ streamID }: DeviceFrameItem): string | undefined =>
  streamID && `${location.origin}${location.pathname}?${new URLSearchParams({ event: streamID })}`;

export function DeviceFrames() {
  const { devEUI } = useIDs();
  const { event }: { event?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [isRemote, setRemote] = useState(false);
  const { filter, matches, ...frameFilter } = useFrameFilter();
  const source = useMemo(
    () => ({
      path: `/api/devices/${devEUI}/frames`,
      history: frameHistory(devEUI, { filter, around: event, onRemote: setRemote }),
      matches,
    }),
    [devEUI, filter, matches, event],
  );
  const download = (format: 'NDJSON' | 'CSV') => () =>
    void startDownload('FRAMES', format, { devEUI, ...filterNow(filter) });
  return (
    <>
      {isRemote && (
        <Alert icon={<IconInfoCircle />} mb="md">
          This network-server reports its frames only while this page is open: none are stored.
        </Alert>
      )}
      <LiveLog
        key={devEUI}
        kind={deviceFrameKind}
        source={source}
        filters={<FrameFilters {...frameFilter} hasHistory />}
        onClearFilters={frameFilter.clear}
        linkOf={linkOf}
        shown={event}
        onShowNewest={() => void navigate({ to: '.', replace: true, search: {} })}
        fileName={`device-${devEUI}.json`}
        downloads={[
          { label: 'All that match (NDJSON)', start: download('NDJSON') },
          { label: 'All that match (CSV)', start: download('CSV') },
        ]}
        helpTitle="LoRaWAN frames"
        help={<FramesHelp />}
      />
    </>
  );
}

function FramesHelp() {
  return (
    <Stack gap="xs">
      <Text>
        The LoRaWAN frames of this device as transmitted, for debugging. MAC commands are decrypted and decoded; the
        application payload stays encrypted. The stored frames include those that the network-server dropped.
      </Text>
      <Text>The events that the application receives are on the Device data tab.</Text>
    </Stack>
  );
}
