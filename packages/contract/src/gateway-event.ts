/** The events of a gateway for integrations of its organization: when it comes back, when it is missed, its statistics. */
export const gatewayEventTypes = ['online', 'offline', 'stats'] as const;
export type GatewayEventType = (typeof gatewayEventTypes)[number];
