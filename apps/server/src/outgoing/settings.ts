import { file, ranges, url } from '../setting-schemas.ts';

export const outgoingSettings = {
  outgoingAllow: ranges
    .prefault('')
    .meta({ help: 'private addresses and ranges this server may connect to, separated by commas' }),
  outgoingCA: file('additional CAs (PEM file) trusted for the servers of integrations'),
  outgoingProxy: url(/^https?:/, 'must be a URL such as http://user:password@proxy.example.org:3128')
    .default('')
    .meta({ help: 'HTTP proxy for requests to integrations (CONNECT)', secret: true }),
};
