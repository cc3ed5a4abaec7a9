import type { AlertChannelKind, AlertConditionName, AlertStateName, AlertSubjectKind } from '@hilltop/contract';
import type { Generated } from 'kysely';
import type { RowTimes } from '../database/tables.ts';

declare module '../database/tables.ts' {
  interface Tables {
    alert_rule: AlertRuleTable;
    alert: AlertTable;
    alert_message: AlertMessageTable;
    alert_receiver: AlertReceiverTable;
    alert_cursor: AlertCursorTable;
    alert_unsubscription: AlertUnsubscriptionTable;
  }
}

/** Times that are numbers are milliseconds since 1970, here and below. */
export interface AlertRuleTable extends RowTimes {
  id: string;
  organization_id: number;
  name: string;
  is_enabled: boolean;
  condition: AlertConditionName;
  /** JSON of an `AlertValue`; null for other conditions. */
  value: string | null;
  /** JSON of an `AlertScope`. */
  scope: string;
  for_minutes: number;
  repeat_hours: number;
  /** JSON of the channels, without secrets. */
  channels: string;
  /** Sealed JSON of the signing secrets by URL. */
  secrets: Uint8Array;
  /** A rule sends at most one message in five minutes. */
  last_message_at: number | null;
}

export interface AlertTable {
  id: string;
  rule_id: string;
  organization_id: number;
  subject_kind: AlertSubjectKind;
  subject_id: string;
  subject_name: string;
  application_id: number | null;
  state: AlertStateName;
  since: number;
  /** Values in a row that matched, while it is pending. */
  uplinks: Generated<number>;
  /** The value that began it. */
  value: number | null;
  fired_at: number | null;
  /** Since when its condition is not true any more: it resolves a few minutes later, unless it comes back. */
  cleared_at: number | null;
  acknowledged_at: number | null;
  acknowledged_by: Generated<string>;
  note: Generated<string>;
  resolved_at: number | null;
  /** The change that the next message of the rule names. */
  unsent: Generated<'' | 'FIRING' | 'RESOLVED'>;
  /** When a message named it. */
  notified_at: number | null;
}

/** A message to one channel of a rule, or the request to confirm an address. */
export interface AlertMessageTable {
  id: string;
  organization_id: number;
  /** Null for a request to confirm. */
  rule_id: string | null;
  kind: AlertChannelKind;
  /** Addresses separated by commas, or the URL. */
  receiver: string;
  subject: string;
  /** JSON of an `AlertNotification`. */
  body: string;
  state: 'WAITING' | 'SENT' | 'FAILED';
  created_at: number;
  /** Null when it is not tried any more. */
  next_at: number | null;
  ended_at: number | null;
  attempts: Generated<number>;
  status: Generated<number>;
  problem: Generated<string>;
}

/** An address that is not that of a member. */
interface AlertReceiverTable {
  organization_id: number;
  address: string;
  /** SHA-256 of the token in the link. */
  token_hash: string;
  asked_at: number;
  confirmed_at: number | null;
}

/** A receiver that ended its mails. */
interface AlertUnsubscriptionTable {
  id: string;
  organization_id: number;
  /** Null: of all rules of the organization. */
  rule_id: string | null;
  /** In lower case. */
  address: string;
  created_at: number;
}

/** One row: the position of the event log up to which values were compared. */
interface AlertCursorTable {
  id: number;
  pos: number;
}
