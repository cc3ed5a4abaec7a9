/** Topics of events and commands, from templates in the syntax of version 3: `{{ .ApplicationID }}`. */

const variables = ['ApplicationID', 'DevEUI', 'EventType', 'CommandType'] as const;
type Variable = (typeof variables)[number];

/** A level of a topic: text and variables, such as `['app-', { variable: 'ApplicationID' }]`. */
type Level = readonly (string | { readonly variable: Variable })[];

/** The values of a topic; a missing variable stands for any value. */
export type TopicValues = Readonly<Partial<Record<Variable, string>>>;

export interface TopicTemplate {
  /** The topic with all its variables. */
  topic: (values: Readonly<Record<string, string>>) => string;
  /** The filter of all topics with these values; a missing one becomes `+`. */
  filter: (values: TopicValues) => string;
  /** The values in a topic; undefined when it does not match this template. */
  read: (topic: string) => TopicValues | undefined;
  /**
   * The common values of all topics of this template that match a filter; undefined when none match. Values that the
   * filter leaves open are missing.
   */
  common: (filter: string) => TopicValues | undefined;
}

const shapes: Record<Variable, string> = {
  ApplicationID: '[1-9][0-9]{0,14}',
  DevEUI: '[0-9a-f]{16}',
  EventType: '[a-z]{1,32}',
  CommandType: '[a-z]{1,32}',
};

/** Throws an Error with one sentence when the text is not a template, or lacks one of the needed variables. */
export function parseTemplate(text: string, needed: readonly Variable[]): TopicTemplate {
  if (/[+#\0]/.test(text.replaceAll(/\{\{.*?\}\}/g, ''))) throw new Error('must not have the wildcards + and #');
  const levels = text.split('/').map(parseLevel);
  const used = levels.flatMap((level) => level.flatMap((part) => (typeof part === 'string' ? [] : [part.variable])));
  const missing = needed.find((one) => !used.includes(one));
  if (missing) throw new Error(`must have {{ .${missing} }}, so that topics differ`);
  if (new Set(used).size < used.length) throw new Error('must have each variable once');
  const readers = levels.map(readerOf);

  const render = (level: Level, values: TopicValues) =>
    level.map((part) => (typeof part === 'string' ? part : values[part.variable]!)).join('');
  const isOpen = (level: Level, values: TopicValues) =>
    level.some((part) => typeof part !== 'string' && values[part.variable] === undefined);

  return {
    topic: (values) => levels.map((level) => render(level, values)).join('/'),
    filter: (values) => levels.map((level) => (isOpen(level, values) ? '+' : render(level, values))).join('/'),
    read: (topic) => {
      const parts = topic.split('/');
      return parts.length === levels.length ? readAll(parts, readers) : undefined;
    },
    common: (filter) => {
      const parts = filter.split('/');
      const isLong = parts.at(-1) === '#';
      if (isLong) parts.pop();
      if (isLong ? parts.length > levels.length : parts.length !== levels.length) return undefined;
      return readAll(parts, readers);
    },
  };
}

type Reader = (part: string) => TopicValues | undefined;

function readAll(parts: readonly string[], readers: readonly Reader[]): TopicValues | undefined {
  const found = parts.map((part, at) => (part === '+' ? {} : readers[at]!(part)));
  return found.includes(undefined) ? undefined : Object.assign({}, ...found);
}

function parseLevel(text: string): Level {
  return text.split(/(\{\{.*?\}\})/).flatMap((part): Level => {
    if (!part.startsWith('{{')) {
      if (/[{}]/.test(part)) throw new Error('has braces that are no variable');
      return part === '' ? [] : [part];
    }
    const name = /^\{\{\s*\.(\w+)\s*\}\}$/.exec(part)?.[1];
    const variable = variables.find((one) => one === name);
    if (!variable)
      throw new Error(`has ${part}: the variables are ${variables.map((one) => `{{ .${one} }}`).join(', ')}`);
    return [{ variable }];
  });
}

function readerOf(level: Level): Reader {
  const source = level.map((part) =>
    typeof part === 'string' ? RegExp.escape(part) : `(?<${part.variable}>${shapes[part.variable]})`,
  );
  const pattern = new RegExp(`^${source.join('')}$`);
  return (part) => {
    const found = pattern.exec(part);
    return found ? { ...found.groups } : undefined;
  };
}
