/** The types of events, in the order people meet them. */
export const eventTypes = ['up', 'join', 'ack', 'txack', 'status', 'error', 'location', 'integration'];
