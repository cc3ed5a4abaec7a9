import { Button } from '@mantine/core';
import { IconLink } from '@tabler/icons-react';
import { CopyButton, copyText } from '../copy/copy.tsx';
import { JsonTree } from '../json-tree/json-tree.tsx';
import { type BytesFormat, bytesFormats, formatBytes } from './bytes-format.ts';
import classes from './live-log.module.css';
import type { LogKind } from './log-kind.ts';

export interface LogDetailChoices<T> {
  /** How payloads are shown in the whole log. */
  format: BytesFormat;
  onFormat: (format: BytesFormat) => void;
  /** The address of the page that opens with this item; undefined when it has none. */
  linkOf: ((item: T) => string | undefined) | undefined;
}

interface LogDetailsProps<T> extends LogDetailChoices<T> {
  id: string;
  kind: LogKind<T>;
  item: T;
}

/** The content of an open row. */
export function LogDetails<T>({ id, kind, item, format, onFormat, linkOf }: LogDetailsProps<T>) {
  const bytes = kind.bytesOf?.(item);
  const link = linkOf?.(item);
  return (
    <div id={id} className={classes.details}>
      {(bytes !== undefined || link !== undefined) && (
        <div className={classes.detailsBar}>
          {bytes !== undefined && <Bytes base64={bytes} format={format} onFormat={onFormat} />}
          {link !== undefined && (
            <Button
              variant="subtle"
              size="compact-xs"
              leftSection={<IconLink size={14} />}
              onClick={() => void copyText(link)}
            >
              Copy link
            </Button>
          )}
        </div>
      )}
      {kind.detailsOf?.(item).map((tree) => (
        <div key={tree.title} className={classes.tree}>
          <div className={classes.treeTitle}>
            {tree.title}
            <CopyButton value={JSON.stringify(tree.value, null, 2)} label={`Copy ${tree.title.toLowerCase()}`} />
          </div>
          <JsonTree value={tree.value} label={tree.title} folded={tree.folded} />
        </div>
      ))}
    </div>
  );
}

interface BytesProps {
  base64: string;
  format: BytesFormat;
  onFormat: (format: BytesFormat) => void;
}

function Bytes({ base64, format, onFormat }: BytesProps) {
  const text = formatBytes(base64, format);
  return (
    <div className={classes.bytes}>
      <span className={classes.treeTitle}>Bytes</span>
      <span role="group" aria-label="Format of bytes" className={classes.formats}>
        {Object.entries(bytesFormats).map(([name, label]) => (
          <Button
            key={name}
            variant={name === format ? 'light' : 'subtle'}
            size="compact-xs"
            aria-pressed={name === format}
            onClick={() => onFormat(name as BytesFormat)}
          >
            {label}
          </Button>
        ))}
      </span>
      <code className={classes.bytesText}>{text}</code>
      <CopyButton value={text} label="Copy bytes" />
    </div>
  );
}
