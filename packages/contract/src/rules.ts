/** Facts that several resources share. */
import type { Facts } from './wire.ts';

/** Columns of names have this many characters. */
const nameLength = 100;

/** A name with only words, numbers and dashes. */
export const strictName = {
  label: 'Name',
  help: 'Words, numbers and dashes.',
  required: true,
  maxLength: nameLength,
  pattern: '^[\\w\\-]+$',
  message: 'The name may only contain words, numbers and dashes.',
} as const satisfies Facts;

/**
 * Text without control characters. Such text appears in logs, headers and files, where a line break would start a new
 * line.
 */
export const noControlCharacters = {
  pattern: '^[^\\x00-\\x1F\\x7F-\\x9F]*$',
  message: 'Line breaks, tabs and other control characters are not allowed.',
} as const satisfies Facts;

/** A name that may not be blank and has no control characters. */
export const plainName = {
  ...noControlCharacters,
  label: 'Name',
  required: true,
  maxLength: nameLength,
} as const satisfies Facts;

/** The e-mail pattern of HTML, or the word admin, with which users of older installations sign in. */
export const emailAddress = {
  label: 'E-mail address',
  required: true,
  maxLength: nameLength,
  pattern:
    "^(admin|[a-zA-Z0-9.!#$%&'*+\\/=?^_`\\{\\|\\}~\\-]+@[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?)*)$",
  message: 'This is not an e-mail address.',
} as const satisfies Facts;

/** An address that mail is sent to: with a domain of at least two parts, of which the last is no number. */
export const mailAddress = {
  label: 'E-mail address',
  maxLength: nameLength,
  pattern:
    "^[a-zA-Z0-9_!#$%&'*+\\/=?^`\\{\\|\\}~][a-zA-Z0-9.!#$%&'*+\\/=?^_`\\{\\|\\}~\\-]{0,63}@(?:[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?\\.)+[a-zA-Z](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])$",
  message: 'This is not one e-mail address such as name@example.org.',
} as const satisfies Facts;

export const newPassword = {
  label: 'Password',
  help: 'At least 8 characters; common passwords are refused.',
  required: true,
  secret: true,
  minLength: 8,
  maxLength: 1024,
} as const satisfies Facts;

export const networkServerOfProfile = {
  label: 'Network-server',
  help: 'The network-server on which this profile is used. It cannot be changed later.',
  fixed: true,
  form: { required: true },
} as const satisfies Facts;

export const ownerOrganization = { label: 'Organization', fixed: true } as const satisfies Facts;

/**
 * Limits of longer texts, in characters. A list returns at most `descriptionLength` characters of a description, so
 * that a list stays small whatever older rows contain.
 */
export const descriptionLength = 4096;
export const description = { maxLength: descriptionLength } as const satisfies Facts;
/** A search text, e-mail address at sign-in, or serial number. */
export const shortText = { maxLength: 256 } as const satisfies Facts;
/** A password that is compared and not set: accounts of version 3 may have longer ones than new passwords. */
export const givenPassword = { maxLength: 4096 } as const satisfies Facts;
/** What an authenticator app shows, or a recovery code with its dashes. */
export const codeOfSecondFactor = {
  label: 'Code',
  help: 'The six digits of your authenticator app, or a recovery code.',
  maxLength: 32,
  secret: true,
} as const satisfies Facts;
/** A certificate chain, CA bundle or key as PEM text. */
export const pem = { maxLength: 65_536 } as const satisfies Facts;
/** A codec script. */
export const script = { maxLength: 262_144 } as const satisfies Facts;
/** Channel numbers, frequencies and similar lists of numbers: regions have at most 96 channels. */
export const radioList = { maxEntries: 96 } as const satisfies Facts;

/** Limits of tags. */
export const tagLimits = { maxEntries: 64, maxNameLength: 128 } as const satisfies Facts;
export const tagValue = { maxLength: 1024 } as const satisfies Facts;

export const tags = {
  ...tagLimits,
  label: 'Tags',
  help: 'Names with values, for search and grouping. Events of a device contain them.',
} as const satisfies Facts;

/** Statistics need an interval and both ends. */
export const statsInterval = {
  label: 'Interval',
  help: 'The length of one bucket: MINUTE, HOUR, DAY or MONTH.',
  required: true,
  maxLength: 10,
  pattern: '^([mM][iI][nN][uU][tT][eE]|[hH][oO][uU][rR]|[dD][aA][yY]|[mM][oO][nN][tT][hH])$',
  message: 'The interval must be MINUTE, HOUR, DAY or MONTH.',
} as const satisfies Facts;

export const payloadCodecs = [
  { value: '', label: 'None' },
  { value: 'CAYENNE_LPP', label: 'Cayenne LPP' },
  { value: 'CUSTOM_JS', label: 'Custom JavaScript codec functions' },
] as const;

/** In slots of 30 ms, of which 32 count as a second. */
export const pingSlotPeriods = [32, 64, 128, 256, 512, 1024, 2048, 4096].map((value) => ({
  value,
  label: value === 32 ? 'every second' : `every ${value / 32} seconds`,
}));
