import { duration, type SettingsOf, wholeNumber } from '../setting-schemas.ts';

export const deliverySettings = {
  deliveryMaxAge: duration(
    { least: '1m', most: '90d', usual: '24h' },
    'how long events wait for an integration that does not take them',
  ),
  deliveryGiveUp: duration(
    { least: '1h', most: '90d', usual: '72h' },
    'how long an integration that takes nothing is tried before it is suspended',
  ),
  deliveriesAtOnce: wholeNumber(8, 4096).default(256).meta({
    help: 'requests of integrations that are under way at once, of which none gets more than a quarter of those free',
  }),
};
export type DeliverySettings = SettingsOf<typeof deliverySettings>;
