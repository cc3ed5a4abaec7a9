import { Button, Loader, Text } from '@mantine/core';
import type { LiveState } from '../../api/live.ts';
import classes from './live-log.module.css';
import type { StoredView } from './stored-part.ts';

interface WaitingProps {
  noun: string;
  log: { state: LiveState; isPaused: boolean; stored: StoredView };
  onClearFilters: (() => void) | undefined;
}

/** Shown in place of the rows while there are none. */
export function Waiting({ noun, log: { state, isPaused, stored }, onClearFilters }: WaitingProps) {
  const { reading, reach } = stored;
  if (reading === 'first')
    return (
      <Notice title={`Loading ${noun}s`} spinner>
        {`Stored ${noun}s appear first, then each new one as it arrives.`}
      </Notice>
    );
  if (onClearFilters && (reach === undefined || reach.older === ''))
    return (
      <Notice title={`No ${noun} matches the filters`} action="Clear filters" onAction={onClearFilters}>
        {`New ${noun}s that match appear as they arrive.`}
      </Notice>
    );
  if (isPaused) return <Notice title="Paused">{`New ${noun}s are not shown until you resume the log.`}</Notice>;
  if (state === 'closed') return <Notice title="Not connected">The console keeps trying to reach the server.</Notice>;
  return (
    <Notice title={`Waiting for the next ${noun}`} spinner>
      {`The latest stored ${noun}s appear first, then each new one as it arrives.`}
    </Notice>
  );
}

interface NoticeProps {
  title: string;
  spinner?: boolean;
  action?: string;
  onAction?: (() => void) | undefined;
  children: string;
}

function Notice({ title, spinner = false, action, onAction, children }: NoticeProps) {
  return (
    <div className={classes.waiting}>
      {spinner && <Loader size="sm" mb="xs" aria-hidden />}
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
      {action && onAction && (
        <Button variant="default" size="xs" mt="sm" onClick={onAction}>
          {action}
        </Button>
      )}
    </div>
  );
}
