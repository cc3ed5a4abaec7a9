import type { AlertRule, InputOf, Operations } from '@hilltop/contract';

type NewRule = InputOf<Operations['alertRule']['create']>['alertRule'];

/** Rules that most organizations want, each created by one click. */
export const suggestedRules = [
  { name: 'Gateway offline', condition: 'GATEWAY_OFFLINE', forMinutes: 10, repeatHours: 24 },
  { name: 'Device silent', condition: 'DEVICE_SILENT', forMinutes: 5, repeatHours: 0 },
  { name: 'Low battery', condition: 'LOW_BATTERY', forMinutes: 5, repeatHours: 0 },
  { name: 'Integration failing', condition: 'INTEGRATION_FAILING', forMinutes: 5, repeatHours: 24 },
] as const satisfies readonly Partial<AlertRule>[];

/** The suggested rule with a receiver. */
export const ruleFrom = (
  suggested: (typeof suggestedRules)[number],
  organizationID: string,
  address: string | undefined,
): NewRule => ({
  ...suggested,
  organizationID,
  isEnabled: true,
  channels: address === undefined ? [] : [{ kind: 'EMAIL', addresses: [address] }],
});
