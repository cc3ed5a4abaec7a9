import { Alert, Stack, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { FrameFilters } from '../../components/frame-log/frame-filters.tsx';
import { useFrameFilter } from '../../components/frame-log/use-frame-filter.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { LiveLog } from '../../components/live-log/live-log.tsx';
import { type DeviceFrameItem, deviceFrameKind, frameHistory } from './frame-history.ts';
import { downloadsOf, linkToRow, useShownRow } from './stored-log.ts';

/** A live frame has an address a moment later, when its stored one was read. */
const linkOf = ({ streamID }: DeviceFrameItem): string | undefined => streamID && linkToRow(streamID);

export function DeviceFrames() {
  const { devEUI } = useIDs();
  const { event, showNewest } = useShownRow();
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
        onShowNewest={showNewest}
        fileName={`device-${devEUI}.json`}
        downloads={downloadsOf('FRAMES', devEUI, filter)}
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
