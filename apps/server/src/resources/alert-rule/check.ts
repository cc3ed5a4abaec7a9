import {
  type AlertChannel,
  type AlertRule,
  conditionOf,
  type FieldViolation,
  invalidFields,
  mostAlertReceivers,
} from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { toRowID } from '../../identifiers.ts';

/** Refuses a rule that does not fit together. */
export async function checkRule(database: Database, rule: AlertRule): Promise<void> {
  const violations = [
    ...valueProblems(rule),
    ...scopeProblems(rule),
    ...(rule.repeatHours === 0 || rule.repeatHours === 24 ? [] : [problem('repeatHours', 'It is 0 or 24.')]),
    ...rule.channels.flatMap((channel, index) => channelProblems(channel, `channels[${index}]`)),
    ...receiverProblems(rule.channels),
    ...(await foreignRecords(database, rule)),
  ];
  if (violations.length > 0) throw invalidFields(violations);
}

const problem = (field: string, description: string): FieldViolation => ({ field: `alertRule.${field}`, description });

function valueProblems({ condition, value }: AlertRule): FieldViolation[] {
  if (condition !== 'VALUE') return [];
  if (!value || value.field === '') return [problem('value.field', 'Name the field to compare.')];
  if (value.comparison === 'OUTSIDE' && value.upperThreshold <= value.threshold)
    return [problem('value.upperThreshold', 'It must be above the lower threshold.')];
  return [];
}

/** Which members of the scope a condition can have. */
function scopeProblems({ condition, applicationIDs, deviceProfileIDs, tags }: AlertRule): FieldViolation[] {
  const subject = condition === 'VALUE' ? 'DEVICE' : conditionOf(condition).subject;
  const isDevice = subject === 'DEVICE';
  const narrowing = [
    { field: 'applicationIDs', isGiven: applicationIDs.length > 0, isUsed: isDevice || subject === 'INTEGRATION' },
    { field: 'deviceProfileIDs', isGiven: deviceProfileIDs.length > 0, isUsed: isDevice },
    { field: 'tags', isGiven: Object.keys(tags).length > 0, isUsed: isDevice || subject === 'GATEWAY' },
  ];
  return narrowing
    .filter(({ isGiven, isUsed }) => isGiven && !isUsed)
    .map(({ field }) => problem(field, 'This condition cannot be narrowed so. Leave it out.'));
}

function channelProblems({ kind, addresses, url, secret }: AlertChannel, at: string): FieldViolation[] {
  if (kind === 'EMAIL') {
    return addresses.length > 0 ? [] : [problem(`${at}.addresses`, 'Enter at least one e-mail address.')];
  }
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    return [problem(`${at}.url`, 'Enter an address that begins with https:// or http://.')];
  if (parsed.username !== '' || parsed.password !== '')
    return [problem(`${at}.url`, 'The address must not contain a user name or password. Use the signing secret.')];
  if (secret !== '' && secret.startsWith('whsec_') && !isBase64(secret.slice('whsec_'.length)))
    return [problem(`${at}.secret`, 'The part after whsec_ is not base64.')];
  return [];
}

function isBase64(text: string): boolean {
  try {
    return Uint8Array.fromBase64(text).length > 0;
  } catch {
    return false;
  }
}

function receiverProblems(channels: readonly AlertChannel[]): FieldViolation[] {
  const count = channels.reduce((sum, { kind, addresses }) => sum + (kind === 'EMAIL' ? addresses.length : 1), 0);
  if (count > mostAlertReceivers) return [problem('channels', `A rule has at most ${mostAlertReceivers} receivers.`)];
  const urls = channels.filter(({ kind }) => kind === 'WEBHOOK').map(({ url }) => url);
  return urls.flatMap((url, index) =>
    urls.indexOf(url) === index ? [] : [problem('channels', 'A URL occurs twice. Remove one of them.')],
  );
}

async function foreignRecords({ query }: Database, rule: AlertRule): Promise<FieldViolation[]> {
  const organizationID = toRowID(rule.organizationID);
  const applications = query.selectFrom('application').select('id').where('organization_id', '=', organizationID);
  const profiles = query.selectFrom('device_profile').select('id').where('organization_id', '=', organizationID);
  const none: { id: number | string }[] = [];
  const ids = rule.applicationIDs.map(toRowID);
  const ownApplications = ids.length === 0 ? none : await applications.where('id', 'in', ids).execute();
  const ownProfiles =
    rule.deviceProfileIDs.length === 0 ? none : await profiles.where('id', 'in', rule.deviceProfileIDs).execute();
  const missing = (field: 'applicationIDs' | 'deviceProfileIDs', called: string, own: typeof none) =>
    rule[field].flatMap((id, index) =>
      own.some((one) => String(one.id) === id)
        ? []
        : [problem(`${field}[${index}]`, `The organization has no ${called} ${id}.`)],
    );
  return [
    ...missing('applicationIDs', 'application', ownApplications),
    ...missing('deviceProfileIDs', 'device-profile', ownProfiles),
  ];
}
