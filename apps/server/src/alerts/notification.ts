import { type AlertConditionName, type AlertSubjectKind, type AlertValue, conditionOf } from '@hilltop/contract';

/** A subject of a message. */
export interface NotificationSubject {
  kind: AlertSubjectKind;
  id: string;
  name: string;
  state: 'FIRING' | 'RESOLVED';
  since: string;
  resolvedAt?: string;
  value?: number;
}

/** What a message says: the body of a webhook, and what a mail is written from. */
export interface AlertNotification {
  id: string;
  rule: { id: string; name: string };
  organization: { id: string; name: string };
  condition: AlertConditionName;
  /** `FIRING` when one of the subjects does, `TEST` for a test message. */
  state: 'FIRING' | 'RESOLVED' | 'TEST';
  /** The earliest of those that fire. */
  since: string;
  /** At most 50; those that fire first. */
  subjects: NotificationSubject[];
  /** Of all subjects, named or not. */
  firingCount: number;
  resolvedCount: number;
  detail: string;
  /** The page of the alerts; empty without HILLTOP_PUBLIC_URL. */
  url: string;
}

const comparisons = { ABOVE: 'above', BELOW: 'below', EQUALS: 'equal to', OUTSIDE: 'outside' } as const;

/** What a rule watches, in a sentence. */
export function detailOf(condition: AlertConditionName, value: AlertValue | null): string {
  if (condition !== 'VALUE') return conditionOf(condition).sentence;
  if (!value) return '';
  const { field, comparison, threshold, upperThreshold } = value;
  const limit = comparison === 'OUTSIDE' ? `${threshold} to ${upperThreshold}` : threshold;
  return `${field} is ${comparisons[comparison]} ${limit}.`;
}

/** Such as `3 gateways offline`. */
function countedSubjects({ condition }: AlertNotification, count: number): string {
  if (condition === 'VALUE') return count === 1 ? '1 device with a wrong value' : `${count} devices with a wrong value`;
  const { one, many } = conditionOf(condition);
  return `${count} ${count === 1 ? one : many}`;
}

/** One line without control characters: it becomes a header. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();

export function mailSubjectOf(notification: AlertNotification): string {
  const { state, firingCount, resolvedCount, organization, rule } = notification;
  const what =
    state === 'TEST'
      ? `Test of ${rule.name}`
      : state === 'FIRING'
        ? countedSubjects(notification, firingCount)
        : `Resolved: ${countedSubjects(notification, resolvedCount)}`;
  return oneLine(`[Hilltop] ${what} (${organization.name})`);
}

/** Minutes in UTC: receivers are in several time zones. */
const timeOf = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;

function lineOf({ name, id, since, resolvedAt, value }: NotificationSubject): string {
  const called = name === '' ? id : `${name} (${id})`;
  const measured = value === undefined ? '' : `: ${value}`;
  const until = resolvedAt === undefined ? `since ${timeOf(since)}` : `${timeOf(since)} to ${timeOf(resolvedAt)}`;
  return oneLine(`${called}${measured}, ${until}`);
}

interface MailParts {
  heading: string;
  firing: string[];
  resolved: string[];
  /** `and 312 more`; empty when all are named. */
  more: string;
  rest: string[];
}

function partsOf(notification: AlertNotification): MailParts {
  const { subjects, firingCount, resolvedCount, state, rule, detail, url } = notification;
  const named = (wanted: NotificationSubject['state']) =>
    subjects.filter((subject) => subject.state === wanted).map(lineOf);
  const omitted = firingCount + resolvedCount - subjects.length;
  return {
    heading: state === 'TEST' ? 'This is a test. Nothing is wrong.' : oneLine(`Alert rule ${rule.name}: ${detail}`),
    firing: named('FIRING'),
    resolved: named('RESOLVED'),
    more: omitted > 0 ? `and ${omitted} more` : '',
    rest: url === '' ? [] : [url],
  };
}

/** The text and the HTML of a mail. Without a link to unsubscribe, it is empty. */
export function mailTextOf(notification: AlertNotification, unsubscribeURL: string): { text: string; html: string } {
  const { heading, firing, resolved, more, rest } = partsOf(notification);
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', title, ...lines.map((line) => `- ${line}`)];
  const text = [
    heading,
    ...list('Firing:', firing),
    ...list('Resolved:', resolved),
    ...(more === '' ? [] : ['', more]),
    ...(rest.length === 0 ? [] : ['', ...rest]),
    ...(unsubscribeURL === '' ? [] : ['', `Unsubscribe: ${unsubscribeURL}`]),
  ].join('\n');
  const htmlList = (title: string, lines: readonly string[]) =>
    lines.length === 0
      ? ''
      : `<p><b>${title}</b></p><ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>`;
  const link = rest.map((url) => `<p><a href="${escaped(url)}">${escaped(url)}</a></p>`).join('');
  const end = unsubscribeURL === '' ? '' : `<p><a href="${escaped(unsubscribeURL)}">Unsubscribe</a></p>`;
  const html = `<p>${escaped(heading)}</p>${htmlList('Firing', firing)}${htmlList('Resolved', resolved)}${more === '' ? '' : `<p>${more}</p>`}${link}${end}`;
  return { text, html };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);
