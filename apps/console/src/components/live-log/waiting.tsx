import { Loader, Text } from '@mantine/core';
import type { LiveState } from '../../api/live.ts';
import classes from './live-log.module.css';

/** Shown in place of the rows while there are none. */
export function Waiting({ state, isPaused, noun }: { state: LiveState; isPaused: boolean; noun: string }) {
  if (isPaused) return <Notice title="Paused">{`New ${noun}s are not shown until you resume the log.`}</Notice>;
  if (state === 'closed') return <Notice title="Not connected">The console keeps trying to reach the server.</Notice>;
  return (
    <Notice title={`Waiting for the next ${noun}`} spinner>
      {`The latest stored ${noun}s appear first, then each new one as it arrives.`}
    </Notice>
  );
}

function Notice({ title, spinner = false, children }: { title: string; spinner?: boolean; children: string }) {
  return (
    <div className={classes.waiting}>
      {spinner && <Loader size="sm" mb="xs" aria-hidden />}
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </div>
  );
}
