import { z } from 'zod';
import { address, file, flag, ranges, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

export const httpSettings = {
  http: address.prefault('0.0.0.0:8080').meta({ help: 'console, REST, gRPC of the API, websockets' }),
  httpTLSCert: file('file of the TLS certificate (PEM) of that; without it browsers and clients connect without TLS'),
  httpTLSKey: file('file of its key (PEM)'),
};
export type HTTPSettings = SettingsOf<typeof httpSettings>;

/** Which clients may call, and how often. */
export const clientSettings = {
  trustProxy: ranges
    .prefault('')
    .meta({ help: 'addresses and ranges of proxies in front, whose X-Forwarded- headers are believed' }),
  corsAllowOrigin: z
    .string()
    .refine(
      (text) => text === '' || text === '*' || (URL.canParse(text) && new URL(text).origin === text),
      'must be an origin such as https://portal.example.org, or *',
    )
    .default('')
    .meta({ help: 'the other site whose pages may call the API from a browser; *: any' }),
  metricsAllow: ranges
    .prefault('127.0.0.0/8,::1')
    .meta({ help: 'addresses and ranges that may read /metrics, comma separated' }),
  metricsOldNames: flag
    .default(true)
    .meta({ help: 'false: /metrics has no figures under the names that dashboards of older servers read' }),
  rateLimit: wholeNumber(0, 1_000_000)
    .default(0)
    .meta({ help: 'API calls per second for each session and API key; 0: no limit' }),
};
export type ClientSettings = SettingsOf<typeof clientSettings>;

export const brandingSettings = {
  brandingRegistration: z.string().default('').meta({ help: 'HTML below the sign-in form' }),
  brandingFooter: z.string().default('').meta({ help: 'HTML at the foot of every page' }),
};
export type BrandingSettings = SettingsOf<typeof brandingSettings>;
