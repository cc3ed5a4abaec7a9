import type { AlertChannel, AlertRule } from '@hilltop/contract';

/** The form has one mail channel, one webhook, and whatever else the rule has. */
export type RuleValues = AlertRule;

const emptyMail: AlertChannel = { kind: 'EMAIL', addresses: [], url: '', secret: '' };
const emptyWebhook: AlertChannel = { ...emptyMail, kind: 'WEBHOOK' };
export const emptyValue: NonNullable<AlertRule['value']> = {
  field: '',
  comparison: 'ABOVE',
  threshold: 0,
  upperThreshold: 0,
  hysteresis: 0,
  uplinks: 1,
};

export const newRule = (organizationID: string, address: string | undefined): RuleValues => ({
  id: '',
  organizationID,
  name: '',
  isEnabled: true,
  condition: 'GATEWAY_OFFLINE',
  value: emptyValue,
  applicationIDs: [],
  deviceProfileIDs: [],
  tags: {},
  forMinutes: 5,
  repeatHours: 0,
  channels: [{ ...emptyMail, addresses: address === undefined ? [] : [address] }, emptyWebhook],
});

/** The values of the form for a stored rule. */
export function toValues(rule: AlertRule): RuleValues {
  const mail = rule.channels.find(({ kind }) => kind === 'EMAIL');
  const webhook = rule.channels.find(({ kind }) => kind === 'WEBHOOK');
  const others = rule.channels.filter((channel) => channel !== mail && channel !== webhook);
  return {
    ...rule,
    value: rule.value ?? emptyValue,
    channels: [mail ?? emptyMail, webhook ?? emptyWebhook, ...others],
  };
}

/** What is sent: only what the condition uses, and channels with a receiver. */
export function toRule(values: RuleValues, subject: string): AlertRule {
  const isDevice = subject === 'DEVICE';
  return {
    ...values,
    value: values.condition === 'VALUE' ? values.value : null,
    applicationIDs: isDevice || subject === 'INTEGRATION' ? values.applicationIDs : [],
    deviceProfileIDs: isDevice ? values.deviceProfileIDs : [],
    tags: isDevice || subject === 'GATEWAY' ? values.tags : {},
    channels: values.channels.filter(({ addresses, url }) => addresses.length > 0 || url !== ''),
  };
}
