import type { WordName } from '../words/words.ts';
import type { LogStoreOptions } from './log-store.ts';

export type Tone = 'plain' | 'up' | 'down' | 'join' | 'good' | 'attention' | 'bad';

export interface Chip {
  /** Cut with an ellipsis where there is no room for it. */
  readonly text: string;
  /** Shown whole after the text. */
  readonly value?: string;
  readonly tone?: 'attention' | 'bad' | 'value';
  /** Shown as this sign, which takes no room from values; the text is its name. */
  readonly sign?: ChipSign;
}

export type ChipSign = 'done' | 'waiting' | 'failed';

/** A column of short values, such as RSSI. The variable part of a headline is in front of the columns. */
export interface LogColumn {
  readonly name: string;
  readonly label: string;
  readonly width: string;
  readonly isNumber?: boolean;
  /** Hidden on a phone. */
  readonly isMinor?: boolean;
}

/** The values of a headline by the name of their column. */
export type LogCells = Readonly<Record<string, string>>;

export interface Headline {
  /** RFC 3339 timestamp. */
  readonly at: string;
  readonly type: string;
  readonly tone: Tone;
  readonly chips: readonly Chip[];
  readonly cells?: LogCells;
}

export interface DetailTree {
  readonly title: string;
  readonly value: unknown;
  /** Members that are folded initially. */
  readonly folded?: readonly string[];
}

/** How the items of a log are displayed. */
export interface LogKind<T> extends Pick<LogStoreOptions<T>, 'orderOf' | 'identityOf'> {
  /** Singular, such as `event`. */
  readonly noun: string;
  /** Width of the longest type, so that the columns align. */
  readonly typeWidth: string;
  /** What the variable part of its rows is, in the head of the table. */
  readonly chipsLabel: string;
  readonly columns: readonly LogColumn[];
  /** Words of its rows that the glossary explains. */
  readonly words?: readonly WordName[];
  readonly headlineOf: (item: T) => Headline;
  /** The trees of an open row, side by side on wide screens. None when items open elsewhere. */
  readonly detailsOf?: (item: T) => readonly DetailTree[];
  /** What happened before the item, such as lost frames; shown in a thin row below it. */
  readonly noticeOf?: (item: T) => string | undefined;
  /** The payload of the item in base64; undefined when it has none. */
  readonly bytesOf?: (item: T) => string | undefined;
  /** The item as it is exported to a file. */
  readonly exportOf: (item: T) => unknown;
}
