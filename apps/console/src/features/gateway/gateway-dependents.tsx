import { type DependentDevice, enoughMargin } from '@hilltop/contract';
import { Button, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { formatTime } from '../../components/last-seen/dates.ts';
import { AppLink } from '../../components/link/link.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import { paths } from '../../paths.ts';
import classes from './availability.module.css';

const fewDevices = 5;
const mostDevices = 1000;

const counted = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** The devices that need a gateway. The server reads the uplinks of a day for it, so it waits for a click. */
export function GatewayDependents({ gatewayID }: { gatewayID: string }) {
  const isOffered = useOffered('gatewayAvailability', 'listDependents');
  const [isWanted, setWanted] = useState(false);
  const found = useQuery({
    ...query('gatewayAvailability', 'listDependents', { gatewayID, limit: mostDevices }),
    enabled: isOffered && isWanted,
    staleTime: 300_000,
  });
  if (!isOffered) return null;
  const { data, error, refetch, isFetching } = found;
  return (
    <Paper component="section" aria-labelledby="dependents" className={classes.card}>
      <Group justify="space-between" gap="xs" mb={4}>
        <Title order={2} id="dependents">
          If this gateway fails
        </Title>
        {!data && (
          <Button variant="default" size="xs" loading={isFetching} onClick={() => setWanted(true)}>
            Find devices
          </Button>
        )}
      </Group>
      {error && !isFetching ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <div aria-live="polite">
          {data ? (
            <Found {...data} totalCount={Number(data.totalCount)} />
          ) : (
            <Text c="dimmed">
              {`Devices that only this gateway received in the last 24 hours, or other gateways with less than ${enoughMargin} dB of margin.`}
            </Text>
          )}
        </div>
      )}
    </Paper>
  );
}

interface FoundProps {
  result: readonly DependentDevice[];
  totalCount: number;
  soleCount: number;
  examinedCount: number;
  unknownCount: number;
  isPartial: boolean;
  computedAt: string | null;
}

function Found({ result, totalCount, soleCount, ...counts }: FoundProps) {
  const [isWhole, setWhole] = useState(false);
  const rows = isWhole ? result : result.slice(0, fewDevices);
  const weakCount = totalCount - soleCount;
  return (
    <>
      <Text>
        {totalCount === 0
          ? 'Other gateways receive every device well.'
          : `${counted(soleCount, 'device')} would not be received, ${counted(weakCount, 'device')} only with less than ${enoughMargin} dB of margin.`}
      </Text>
      {rows.length > 0 && <Devices devices={rows} />}
      {rows.length < result.length && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setWhole(true)}>
          {`Show all ${result.length.toLocaleString('en')}`}
        </Button>
      )}
      <Text c="dimmed" size="xs" className={classes.rule}>
        {noteOf({ ...counts, left: isWhole ? totalCount - result.length : 0 })}
      </Text>
    </>
  );
}

/** What the answer is based on, and what is not known. */
function noteOf({
  examinedCount,
  unknownCount,
  isPartial,
  computedAt,
  left,
}: Pick<FoundProps, 'examinedCount' | 'unknownCount' | 'isPartial' | 'computedAt'> & { left: number }): string {
  return [
    `From the last 24 hours of ${counted(examinedCount, 'device')}, as of ${formatTime(computedAt!)}.`,
    isPartial && 'There were too many uplinks to examine all.',
    unknownCount > 0 &&
      `${counted(unknownCount, 'device')} ${unknownCount === 1 ? 'is' : 'are'} not known: the service-profile adds no gateway metadata.`,
    left > 0 && `${counted(left, 'more device')} not listed.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function Devices({ devices }: { devices: readonly DependentDevice[] }) {
  return (
    // The table is wider than a phone.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className={classes.scroll} aria-label="Devices that need this gateway" tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Device</th>
            <th scope="col" className={classes.number}>
              Uplinks in 24 h
            </th>
            <th scope="col">Other gateways</th>
          </tr>
        </thead>
        <tbody>
          {devices.map(({ devEUI, name, organizationID, applicationID, uplinks, otherMargin }) => (
            <tr key={devEUI}>
              <td>
                <AppLink to={paths.device.one(organizationID, applicationID, devEUI)}>{name}</AppLink>
              </td>
              <td className={classes.number}>{uplinks.toLocaleString('en')}</td>
              <td>{otherMargin === undefined ? 'none' : `${otherMargin.toFixed(1)} dB of margin`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
