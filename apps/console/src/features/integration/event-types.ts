/** The types of events, in the order of a device's life. */
export const eventTypes = ['up', 'join', 'ack', 'txack', 'status', 'error', 'location', 'integration'];

/** Those of gateways. */
export const gatewayEventTypes = ['online', 'offline', 'stats'];
