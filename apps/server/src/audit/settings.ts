import { type SettingsOf, wholeNumber } from '../setting-schemas.ts';

export const auditSettings = {
  auditDays: wholeNumber(0, 3650).default(365).meta({
    help: 'days that the audit log is stored, at most 10 million entries; 0: it is not written',
    mustMatch: true,
  }),
};
export type AuditSettings = SettingsOf<typeof auditSettings>;
