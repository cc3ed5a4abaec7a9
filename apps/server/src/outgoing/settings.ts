import { file, ranges, type SettingsOf, url } from '../setting-schemas.ts';

export const outgoingSettings = {
  outgoingAllow: ranges
    .prefault('')
    .meta({ help: 'private addresses and ranges this server may connect to, comma separated' }),
  outgoingCA: file('file of CAs (PEM) that servers of integrations may have certificates of, beside the known ones'),
  outgoingProxy: url(/^https?:/, 'must be a URL such as http://user:password@proxy.example.org:3128')
    .default('')
    .meta({ help: 'the HTTP proxy through which events go to integrations', secret: true }),
};
export type OutgoingSettings = SettingsOf<typeof outgoingSettings>;
