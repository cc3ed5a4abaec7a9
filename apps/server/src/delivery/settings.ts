import { duration, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

export const deliverySettings = {
  deliveryMaxAge: duration(
    { least: '1m', most: '90d', usual: '24h' },
    'how long an event waits for an integration that fails',
  ),
  deliveryGiveUp: duration(
    { least: '1h', most: '90d', usual: '72h' },
    'time without a success after which an integration is suspended',
  ),
  deliveriesAtOnce: wholeNumber(8, 4096).default(256).meta({
    help: 'requests of all integrations at the same time; none gets more than a quarter of the free ones',
  }),
};
export type DeliverySettings = SettingsOf<typeof deliverySettings>;
