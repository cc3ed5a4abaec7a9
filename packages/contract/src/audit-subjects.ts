/** What the audit log names. In a file without messages: the console loads it with the pages of records. */

/** The kinds of subjects, with their names in sentences. */
export const auditSubjects = {
  organization: 'organization',
  invitation: 'invitation',
  application: 'application',
  device: 'device',
  gateway: 'gateway',
  deviceProfile: 'device-profile',
  serviceProfile: 'service-profile',
  gatewayProfile: 'gateway-profile',
  networkServer: 'network-server',
  multicastGroup: 'multicast-group',
  user: 'user',
  apiKey: 'API key',
  alertRule: 'alert rule',
  alert: 'alert',
  alertReceiver: 'receiver of alerts',
  condition: 'condition',
  job: 'job',
  fileImport: 'import',
  trash: 'deleted record',
  view: 'view',
  model: 'model of the library',
  installation: 'installation',
} as const;
export type AuditSubjectKind = keyof typeof auditSubjects;
export const auditSubjectKinds = Object.keys(auditSubjects) as AuditSubjectKind[];

/** What the audit log has beside operations of the API, with the words that describe it. */
export const auditEvents = {
  'internal.login': 'Sign in',
  'internal.logout': 'Sign out',
  'internal.openIDConnectLogin': 'Sign in with single sign-on',
  'download.create': 'Export keys',
  'singleSignOn.applyGroups': 'Change of rights by groups',
} as const satisfies Record<string, string>;
export type AuditEventName = keyof typeof auditEvents;

/** Operations whose entries are no changes. */
export const auditedReads: readonly string[] = [
  'device.getKeys',
  'device.getActivation',
  'download.create',
  'internal.login',
  'internal.logout',
  'internal.openIDConnectLogin',
];

/** The subject in requests and addresses: `device/0102030405060708`. */
export function auditSubject(kind: AuditSubjectKind, id: string): string {
  return `${kind}/${id}`;
}
