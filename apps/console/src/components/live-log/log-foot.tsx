import { Button } from '@mantine/core';
import { formatDay, formatLong } from '../last-seen/dates.ts';
import classes from './live-log.module.css';
import type { LogReach } from './log-source.ts';
import type { StoredPart, StoredView } from './stored-part.ts';

interface LogFootProps {
  /** Singular, such as `event`. */
  noun: string;
  stored: StoredView;
  part: Pick<StoredPart<never>, 'open' | 'loadOlder' | 'retry'>;
  /** The oldest items were dropped, so there are older ones. */
  isTrimmed: boolean;
  isFull: boolean;
}

/** What is below the last row of a log with a history. */
export function LogFoot({ noun, stored, part, isTrimmed, isFull }: LogFootProps) {
  const { reading, failure, reach, isCleared } = stored;
  if (isCleared) return <Foot action="Show history again" onAction={part.open} />;
  if (failure && isGone(stored)) return null;
  if (failure && failure.part !== 'gap')
    return <Foot text="The history cannot be read now." action="Retry" onAction={part.retry} />;
  if (reading === 'first' || reading === 'older') return <Foot text={`Loading ${noun}s from the history`} />;
  if (!reach) return null;
  if (isFull) return <Foot text="Use the time filter to go further back." />;
  if (!isTrimmed && reach.older === '') return <Foot text={keptText(reach, noun)} />;
  if (!reach.isComplete && reach.searchedTo)
    return (
      <Foot text={`Searched back to ${formatLong(reach.searchedTo)}.`} action="Search on" onAction={part.loadOlder} />
    );
  return <Foot action="Load older" onAction={part.loadOlder} />;
}

const notFound = 5;

/** Whether the item that the address names is not stored any more, or the user may not read it. */
const isGone = ({ failure }: StoredView) => failure?.part === 'first' && failure.code === notFound;

interface GoneNoticeProps {
  noun: string;
  stored: StoredView;
  onShowNewest: (() => void) | undefined;
}

/** What the server says about an item that cannot be shown. Live items are shown all the same. */
export function GoneNotice({ noun, stored, onShowNewest }: GoneNoticeProps) {
  if (!isGone(stored)) return null;
  return (
    <div className={classes.gone} role="alert">
      {stored.failure?.message}
      {onShowNewest && (
        <Button variant="default" size="compact-sm" onClick={onShowNewest}>
          {`Show the newest ${noun}s`}
        </Button>
      )}
    </div>
  );
}

function Foot({ text, action, onAction }: { text?: string; action?: string; onAction?: () => void }) {
  return (
    <div className={classes.foot}>
      {text}
      {action && (
        <Button variant="subtle" size="compact-sm" onClick={onAction}>
          {action}
        </Button>
      )}
    </div>
  );
}

/** `Stored since Oct 23. Older events are removed after 30 days or 10,000 events.` */
export function keptText({ storedSince, maxDays, maxEvents }: LogReach, noun: string): string {
  const limits = [
    ...(maxDays > 0 ? [maxDays === 1 ? 'a day' : `${maxDays} days`] : []),
    ...(maxEvents > 0 ? [`${maxEvents.toLocaleString()} events`] : []),
  ];
  return [
    ...(storedSince ? [`Stored since ${formatDay(storedSince)}.`] : []),
    ...(limits.length > 0 ? [`Older ${noun}s are removed after ${limits.join(' or ')}.`] : []),
  ].join(' ');
}
