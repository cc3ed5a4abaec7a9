import type { Downlink } from '@hilltop/contract';
import { Skeleton } from '@mantine/core';
import { SentDownlinks } from '../../components/downlink/sent-downlinks.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import { useDownlinks, useOffersDownlinks } from './use-downlinks.ts';

/** The last downlinks of a device that a gateway got, or that ended before. */
export function SentLately({
  devEUI,
  onAgain,
}: {
  devEUI: string;
  onAgain: ((downlink: Downlink) => void) | undefined;
}) {
  const isOffered = useOffersDownlinks();
  const { data, error, refetch } = useDownlinks(devEUI);
  if (!isOffered) return null;
  if (error) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton height={60} />;
  const downlinks = data.result.filter(({ state, steps }) => state !== 'QUEUED' || steps.length > 1);
  return <SentDownlinks downlinks={downlinks} onAgain={onAgain} />;
}
