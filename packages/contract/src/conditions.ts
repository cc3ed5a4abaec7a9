/**
 * What can need the attention of an operator, as a table: it drives the evaluation, the page, filters of lists and alert
 * rules. Without messages: the console loads it with lists.
 */
export const conditionSubjects = ['DEVICE', 'GATEWAY', 'INTEGRATION', 'API_KEY', 'INSTALLATION'] as const;
/** What a condition is about. */
export type ConditionSubject = (typeof conditionSubjects)[number];

/** `note`: worth knowing, not counted as needing attention. */
export type ConditionSeverity = 'failure' | 'warning' | 'note';

/** What the value of an open condition is. `duration` is in milliseconds, `time` in milliseconds since 1970. */
interface ConditionValue {
  readonly label: string;
  readonly kind: 'percent' | 'decibel' | 'count' | 'duration' | 'time' | 'bytes';
}

interface Condition {
  readonly subject: ConditionSubject;
  readonly severity: ConditionSeverity;
  readonly label: string;
  /** When it is true, in one sentence with the usual parameters. */
  readonly sentence: string;
  /** After a number in summaries: 1 device silent, 7 devices silent. */
  readonly one: string;
  readonly many: string;
  /** The number that counts; absent where the text of an open condition says all. */
  readonly value?: ConditionValue;
  /** Whether a lower value is worse. */
  readonly isLowerWorse?: true;
  /** Thresholds of the evaluation. A name ends with its unit. */
  readonly parameters: Readonly<Record<string, number>>;
}

/** The worst first. */
export const conditions = {
  GATEWAY_OFFLINE: {
    subject: 'GATEWAY',
    severity: 'failure',
    label: 'Gateway offline',
    sentence: 'Nothing of any kind was received from the gateway for 5 minutes.',
    one: 'gateway offline',
    many: 'gateways offline',
    parameters: { silentMinutes: 5, trafficMinutes: 2 },
  },
  DISK_LOW: {
    subject: 'INSTALLATION',
    severity: 'failure',
    label: 'Disk almost full',
    sentence: 'Less than 10 % of the disk with the data directory is free.',
    one: 'disk almost full',
    many: 'disks almost full',
    value: { label: 'Free', kind: 'percent' },
    isLowerWorse: true,
    parameters: { freePercent: 10, endPercent: 12 },
  },
  INTEGRATION_FAILING: {
    subject: 'INTEGRATION',
    severity: 'failure',
    label: 'Integration failing',
    sentence:
      'The integration has failed for 10 minutes, is suspended, has dead letters, or let events expire in the last 24 hours.',
    one: 'integration failing',
    many: 'integrations failing',
    value: { label: 'Dead letters', kind: 'count' },
    parameters: { degradedMinutes: 10, expiredHours: 24 },
  },
  MAIL_FAILING: {
    subject: 'INSTALLATION',
    severity: 'failure',
    label: 'Mail cannot be sent',
    sentence: 'The mail server of the settings refuses mail or cannot be reached.',
    one: 'mail server failing',
    many: 'mail servers failing',
    parameters: {},
  },
  BACKUP_FAILED: {
    subject: 'INSTALLATION',
    severity: 'failure',
    label: 'Backup failed',
    sentence: 'The last scheduled backup failed, or none was written for twice the time between two.',
    one: 'backup failed',
    many: 'backups failed',
    parameters: {},
  },
  DEVICE_SILENT: {
    subject: 'DEVICE',
    severity: 'failure',
    label: 'Silent',
    sentence:
      'No uplink for twice the uplink interval of the device-profile; without an interval, for 4 times the usual gap and at least 1 hour.',
    one: 'device silent',
    many: 'devices silent',
    value: { label: 'Usual gap', kind: 'duration' },
    parameters: { intervals: 2, usualGaps: 4, leastMinutes: 60 },
  },
  JOIN_REFUSED: {
    subject: 'DEVICE',
    severity: 'failure',
    label: 'Join refused',
    sentence: 'Three join-requests were refused within 1 hour, and none was accepted since.',
    one: 'join refused',
    many: 'joins refused',
    value: { label: 'Refused', kind: 'count' },
    parameters: { requests: 3, withinMinutes: 60 },
  },
  CODEC_ERRORS: {
    subject: 'DEVICE',
    severity: 'failure',
    label: 'Codec failing',
    sentence: 'The codec failed for 3 of the last 5 uplinks.',
    one: 'device with codec errors',
    many: 'devices with codec errors',
    value: { label: 'Failed of the last 5', kind: 'count' },
    parameters: { failed: 3, good: 3 },
  },
  GATEWAY_REFUSES: {
    subject: 'GATEWAY',
    severity: 'warning',
    label: 'Gateway refuses downlinks',
    sentence: 'The gateway refused over 20 % of at least 10 downlinks in 1 hour.',
    one: 'gateway refuses downlinks',
    many: 'gateways refuse downlinks',
    value: { label: 'Refused', kind: 'percent' },
    parameters: { refusedPercent: 20, endPercent: 10, downlinks: 10, withinMinutes: 60 },
  },
  GATEWAY_FLAPPING: {
    subject: 'GATEWAY',
    severity: 'warning',
    label: 'Gateway unstable',
    sentence: 'The gateway was offline 4 times in 24 hours.',
    one: 'gateway unstable',
    many: 'gateways unstable',
    value: { label: 'Outages', kind: 'count' },
    parameters: { outages: 4, withinHours: 24 },
  },
  LOSS: {
    subject: 'DEVICE',
    severity: 'warning',
    label: 'Uplinks lost',
    sentence: 'Over 20 % of the last 50 expected uplinks were lost.',
    one: 'device losing uplinks',
    many: 'devices losing uplinks',
    value: { label: 'Lost', kind: 'percent' },
    parameters: { lostPercent: 20, endPercent: 10 },
  },
  LOW_MARGIN: {
    subject: 'DEVICE',
    severity: 'warning',
    label: 'Low link margin',
    sentence: 'The device reported a link margin below 0 dB twice in a row.',
    one: 'device with a low link margin',
    many: 'devices with a low link margin',
    value: { label: 'Margin', kind: 'decibel' },
    isLowerWorse: true,
    parameters: { margin: 0, endMargin: 3 },
  },
  LOW_BATTERY: {
    subject: 'DEVICE',
    severity: 'warning',
    label: 'Low battery',
    sentence: 'The battery is below 20 %.',
    one: 'low battery',
    many: 'low batteries',
    value: { label: 'Battery', kind: 'percent' },
    isLowerWorse: true,
    parameters: { percent: 20, endPercent: 25 },
  },
  NEVER_JOINED: {
    subject: 'DEVICE',
    severity: 'warning',
    label: 'Never joined',
    sentence: 'The keys were set 24 hours ago, and the device has not joined.',
    one: 'device never joined',
    many: 'devices never joined',
    parameters: { hours: 24 },
  },
  GATEWAY_NEVER_SEEN: {
    subject: 'GATEWAY',
    severity: 'warning',
    label: 'Gateway never seen',
    sentence: 'The gateway was added 24 hours ago, and nothing was received from it.',
    one: 'gateway never seen',
    many: 'gateways never seen',
    parameters: { hours: 24 },
  },
  KEY_EXPIRES: {
    subject: 'API_KEY',
    severity: 'warning',
    label: 'API key expires',
    sentence: 'The API key expires within 14 days.',
    one: 'API key expires soon',
    many: 'API keys expire soon',
    value: { label: 'Expires', kind: 'time' },
    isLowerWorse: true,
    parameters: { days: 14 },
  },
  HISTORY_FULL: {
    subject: 'INSTALLATION',
    severity: 'warning',
    label: 'History full',
    sentence: 'The history has reached its size and stores events for fewer days than the settings say.',
    one: 'history full',
    many: 'histories full',
    parameters: {},
  },
  SINGLE_GATEWAY: {
    subject: 'GATEWAY',
    severity: 'note',
    label: 'Only gateway of devices',
    sentence: 'No other gateway received from some devices for 24 hours.',
    one: 'gateway is the only one of devices',
    many: 'gateways are the only one of devices',
    value: { label: 'Devices', kind: 'count' },
    parameters: { hours: 24 },
  },
} as const satisfies Record<string, Condition>;
export type ConditionName = keyof typeof conditions;
/** The worst first. */
export const conditionNames = Object.keys(conditions) as ConditionName[];

/** The description of a condition by its name. */
export const conditionOf = (name: ConditionName): Condition => conditions[name];
