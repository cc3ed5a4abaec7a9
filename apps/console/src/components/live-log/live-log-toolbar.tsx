import { Button, Modal } from '@mantine/core';
import { IconDownload, IconHelp, IconPlayerPause, IconPlayerPlay, IconTrash } from '@tabler/icons-react';
import { type AriaAttributes, type ComponentType, type ReactNode, useState } from 'react';
import type { LiveState } from '../../api/live.ts';
import { downloadText } from '../download/download.ts';
import { Menu, MenuItem } from '../menu/menu.tsx';
import { Status } from '../status/status.tsx';
import { Meanings } from '../words/meanings.tsx';
import classes from './live-log.module.css';
import type { LogKind } from './log-kind.ts';
import type { LogEntry } from './log-store.ts';
import type { StoredPart, StoredView } from './stored-part.ts';

/** A file of a menu. */
export interface LogDownload {
  readonly label: string;
  readonly start: () => void;
}

interface ToolbarProps<T> {
  log: {
    entries: readonly LogEntry<T>[];
    state: LiveState;
    isPaused: boolean;
    missed: number;
    stored: StoredView;
    part: Pick<StoredPart<T>, 'fillGap'>;
    pause: () => void;
    resume: () => void;
    clear: () => void;
  };
  kind: LogKind<T>;
  fileName: string;
  downloads: readonly LogDownload[];
  helpTitle: string;
  help: ReactNode;
}

export function LiveLogToolbar<T>({ log, kind, fileName, downloads, helpTitle, help }: ToolbarProps<T>) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const count = log.entries.length;
  const download = () =>
    downloadText(
      fileName,
      JSON.stringify(
        log.entries.map((entry) => kind.exportOf(entry.item)),
        null,
        4,
      ),
    );
  return (
    <div className={classes.toolbar}>
      <div className={classes.state}>
        <span role="status" className={classes.state}>
          <ConnectionState state={log.state} isPaused={log.isPaused} />
          {log.isPaused && log.missed > 0 && <span className={classes.missed}>{`${log.missed} missed`}</span>}
        </span>
        {log.isPaused && log.missed > 0 && !log.stored.isMissing && (
          <Button variant="subtle" size="compact-xs" onClick={log.part.fillGap}>
            Load them
          </Button>
        )}
      </div>
      <span className={classes.count}>{count === 1 ? `1 ${kind.noun}` : `${count} ${kind.noun}s`}</span>
      <div className={classes.controls}>
        <Control Icon={IconHelp} onClick={() => setHelpOpen(true)}>
          Help
        </Control>
        {log.isPaused ? (
          <Control Icon={IconPlayerPlay} onClick={log.resume}>
            Resume
          </Control>
        ) : (
          <Control Icon={IconPlayerPause} onClick={log.pause}>
            Pause
          </Control>
        )}
        {downloads.length === 0 ? (
          <Control Icon={IconDownload} disabled={count === 0} onClick={download}>
            Download
          </Control>
        ) : (
          <Menu
            label="Download"
            trigger={(props) => (
              <Control Icon={IconDownload} {...props}>
                Download
              </Control>
            )}
          >
            <MenuItem onChoose={download}>{`Shown ${kind.noun}s (JSON)`}</MenuItem>
            {downloads.map(({ label, start }) => (
              <MenuItem key={label} onChoose={start}>
                {label}
              </MenuItem>
            ))}
          </Menu>
        )}
        <Control Icon={IconTrash} disabled={count === 0} onClick={log.clear}>
          Clear
        </Control>
      </div>
      <Modal opened={isHelpOpen} onClose={() => setHelpOpen(false)} title={helpTitle}>
        {help}
        {kind.words && <Meanings of={kind.words} />}
      </Modal>
    </div>
  );
}

interface ControlProps extends AriaAttributes {
  Icon: ComponentType<{ size: number }>;
  disabled?: boolean;
  onClick: () => void;
  children: string;
}

/** An icon with its label; phones show only the icon. */
function Control({ Icon, children: word, ...rest }: ControlProps) {
  return (
    <Button variant="default" size="xs" title={word} {...rest}>
      <Icon size={16} />
      <span className={classes.word}>{word}</span>
    </Button>
  );
}

function ConnectionState({ state, isPaused }: { state: LiveState; isPaused: boolean }) {
  if (state === 'closed') return <span className={classes.lost}>Not connected to Websocket API</span>;
  if (state === 'connecting') return <Status tone="never">Connecting</Status>;
  return isPaused ? <Status tone="attention">Paused</Status> : <Status tone="active">Live</Status>;
}
