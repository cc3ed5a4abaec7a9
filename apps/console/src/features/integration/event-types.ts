/** The types of events, in the order of a device's life. */
export const eventTypes = ['up', 'join', 'ack', 'txack', 'status', 'error', 'location', 'integration'];
