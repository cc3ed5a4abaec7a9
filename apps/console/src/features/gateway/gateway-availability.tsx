import type { GatewayAvailability as Availability, GatewayOutage } from '@hilltop/contract';
import { Button, Paper, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { query } from '../../api/queries.ts';
import { useOffered } from '../../api/use-offered.ts';
import { formatDay } from '../../components/last-seen/dates.ts';
import { useNow } from '../../components/last-seen/last-seen.tsx';
import { LongDate } from '../../components/last-seen/long-date.tsx';
import { ErrorState } from '../../components/states/states.tsx';
import classes from './availability.module.css';
import { AvailabilityStrip } from './availability-strip.tsx';
import { lengthText, shareText } from './availability-words.ts';

const shownDays = 30;
const fewOutages = 5;
const refreshMs = 60_000;
const skeletonHeight = 240;

/** The days of the strip begin at the same time for a day, so that the answer is kept. */
function period() {
  const start = new Date();
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - (shownDays - 1));
  const end = new Date();
  end.setHours(24, 0, 0, 0);
  return { start: start.toISOString(), end: end.toISOString() };
}

/** When a gateway was online in the last 30 days, and its outages with their reasons. */
export function GatewayAvailability({ gatewayID }: { gatewayID: string }) {
  const isOffered = useOffered('gatewayAvailability', 'get');
  const availability = useQuery({
    ...query('gatewayAvailability', 'get', { gatewayID, ...period() }),
    enabled: isOffered,
    refetchInterval: refreshMs,
  });
  if (!isOffered) return null;
  const { data, error, refetch } = availability;
  return (
    <Paper component="section" aria-labelledby="availability" className={classes.card}>
      <div className={classes.top}>
        <Title order={2} id="availability">
          Availability
        </Title>
        {data?.onlineShare !== undefined && (
          <span>
            <span className={classes.share}>{shareText(data.onlineShare)}</span> online
          </span>
        )}
      </div>
      {data ? (
        <Known availability={data} />
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : (
        <Skeleton height={skeletonHeight} />
      )}
    </Paper>
  );
}

function Known({ availability }: { availability: Availability }) {
  const [day, setDay] = useState<string | undefined>();
  const { days, outages, outageCount, knownFrom } = availability;
  const at = days.findIndex(({ start }) => start === day);
  const next = days[at + 1]?.start;
  const shown = at < 0 ? outages : outages.filter((one) => overlaps(one, days[at]!.start!, next ?? undefined));
  return (
    <>
      <AvailabilityStrip days={days} chosen={day} onChoose={setDay} />
      {knownFrom === null ? (
        <Text c="dimmed">Nothing was received from this gateway yet.</Text>
      ) : shown.length === 0 ? (
        <Text c="dimmed">{at < 0 ? 'No outages in the last 30 days.' : `No outages on ${formatDay(day!)}.`}</Text>
      ) : (
        <Outages key={day} outages={shown} hidden={at < 0 ? outageCount - outages.length : 0} />
      )}
      <Text c="dimmed" size="xs" className={classes.rule}>
        {ruleOf(availability)}
      </Text>
    </>
  );
}

function overlaps({ start, end }: GatewayOutage, from: string, to: string | undefined): boolean {
  const isBefore = to === undefined || Date.parse(start!) < Date.parse(to);
  return isBefore && (end === null || Date.parse(end) > Date.parse(from));
}

/** What this card counts as online; lists and maps have a rule of their own. */
function ruleOf({ onlineWindow, hasOnlyStatistics, knownFrom }: Availability): string {
  const window = lengthText(onlineWindow);
  const rule = hasOnlyStatistics
    ? `Its network-server is remote and reports only statistics: online means statistics within ${window}.`
    : `Online: anything received within 90 s, or 3 statistics intervals if that is longer${onlineWindow > 90 ? ` (${window})` : ''}.`;
  const since = knownFrom === null ? '' : ` Recorded since ${formatDay(knownFrom)}.`;
  return `${rule} Lists and maps show a gateway as online for 5 min after it was last seen.${since}`;
}

/** The latest first, a few of them until all are wanted. `hidden`: more than the server lists. */
function Outages({ outages, hidden }: { outages: readonly GatewayOutage[]; hidden: number }) {
  const [isWhole, setWhole] = useState(false);
  const nowMs = useNow();
  const rows = isWhole ? outages : outages.slice(0, fewOutages);
  return (
    <>
      {/* The table is wider than a phone. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className={classes.scroll} aria-label="Outages" tabIndex={0}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col" className={classes.until}>
                To
              </th>
              <th scope="col">Length</th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={`${one.start}${one.isServerStop}`} data-dimmed={one.isServerStop || undefined}>
                <td>
                  <LongDate at={one.start} />
                </td>
                <td className={classes.until}>{one.end ? <LongDate at={one.end} /> : 'ongoing'}</td>
                <td>{lengthText(((one.end ? Date.parse(one.end) : nowMs) - Date.parse(one.start!)) / 1000)}</td>
                <td className={classes.reason}>{one.reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length < outages.length && (
        <Button variant="subtle" size="compact-sm" mt={4} onClick={() => setWhole(true)}>
          {`Show all ${outages.length}`}
        </Button>
      )}
      {isWhole && hidden > 0 && <Text c="dimmed" size="xs" mt={4}>{`${hidden} earlier ones are not listed.`}</Text>}
    </>
  );
}
