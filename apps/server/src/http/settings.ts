import { z } from 'zod';
import { address, file, flag, ranges, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

export const httpSettings = {
  http: address.prefault('0.0.0.0:8080').meta({ help: 'address of the console, REST, gRPC and websockets' }),
  httpTLSCert: file('TLS certificate (PEM file) of HILLTOP_HTTP; empty: no TLS'),
  httpTLSKey: file('key (PEM file) of HILLTOP_HTTP_TLS_CERT'),
};
export type HTTPSettings = SettingsOf<typeof httpSettings>;

/** Which clients may call, and how often. */
export const clientSettings = {
  trustProxy: ranges
    .prefault('')
    .meta({ help: 'addresses and ranges of trusted proxies, whose X-Forwarded- headers are used' }),
  corsAllowOrigin: z
    .string()
    .refine(
      (text) => text === '' || text === '*' || (URL.canParse(text) && new URL(text).origin === text),
      'must be an origin such as https://portal.example.org, or *',
    )
    .default('')
    .meta({ help: 'another site whose pages may call the API from a browser; *: any site' }),
  metricsAllow: ranges
    .prefault('127.0.0.0/8,::1')
    .meta({ help: 'addresses and ranges that may read /metrics, separated by commas' }),
  metricsOldNames: flag.default(true).meta({ help: 'true: /metrics repeats counters under the names of ChirpStack 3' }),
  rateLimit: wholeNumber(0, 1_000_000)
    .default(0)
    .meta({ help: 'API calls per second for each session and API key; 0: no limit' }),
};
export type ClientSettings = SettingsOf<typeof clientSettings>;

export const brandingSettings = {
  brandingName: z
    .string()
    .max(60)
    .default('')
    .meta({ help: 'name of this installation on the sign-in page; empty: the host name of its address' }),
  brandingRegistration: z.string().default('').meta({ help: 'HTML below the sign-in form; it may format and link' }),
  brandingFooter: z.string().default('').meta({ help: 'HTML at the foot of every page; it may format and link' }),
};
export type BrandingSettings = SettingsOf<typeof brandingSettings>;
