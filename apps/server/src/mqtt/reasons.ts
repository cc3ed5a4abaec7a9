/**
 * Reasons for refusing or ending a connection, or for not accepting a message or subscription. `code` is the reason
 * code of MQTT 5 (§2.4), `returnCode` that of a CONNACK of 3.1.1 (§3.2.2.3), which has no codes for other answers.
 */
export const reasons = {
  unavailable: { code: 0x89, text: 'The server cannot do this at the moment: try again later.' },
  malformed: { code: 0x81, text: 'The packet is malformed.' },
  protocol: { code: 0x82, text: 'The packet is not allowed at this point.' },
  not_accepted: { code: 0x83, text: 'The command cannot become a downlink.' },
  version: { code: 0x84, returnCode: 1, text: 'The protocol version is not supported: use 3.1.1 or 5.' },
  client_id: { code: 0x85, returnCode: 2, text: 'The client identifier is longer than 256 bytes.' },
  credentials: { code: 0x86, returnCode: 5, text: 'The password is not a valid API key.' },
  key_expired: { code: 0x87, returnCode: 5, text: 'This API key has expired. Create a new one.' },
  not_authorized: { code: 0x87, returnCode: 5, text: 'The key or certificate does not allow this.' },
  stopping: { code: 0x8b, text: 'The server is stopping.' },
  auth_method: { code: 0x8c, returnCode: 5, text: 'Extended authentication is not supported.' },
  keep_alive: { code: 0x8d, text: 'Nothing arrived for one and a half keep-alive intervals.' },
  taken_over: { code: 0x8e, text: 'The client connected again.' },
  filter: { code: 0x8f, text: 'The topic filter is not valid.' },
  topic: { code: 0x90, text: 'The topic is not valid.' },
  receive_maximum: { code: 0x93, text: 'Too many messages are sent before the first is acknowledged.' },
  topic_alias: { code: 0x94, text: 'Topic aliases are not supported.' },
  packet_size: { code: 0x95, text: 'The packet is too large.' },
  too_many: { code: 0x97, returnCode: 3, text: 'There are too many connections or subscriptions.' },
  queue_full: { code: 0x97, text: 'The queue of the device is full.' },
  slow: { code: 0x97, text: 'The client reads too slowly.' },
  disconnected: { code: 0x98, text: 'Somebody disconnected the client.' },
  payload_format: { code: 0x99, text: 'The payload is not a downlink command.' },
  qos: { code: 0x9b, returnCode: 5, text: 'Quality of service 2 is not supported: use 0 or 1.' },
  shared: { code: 0x9e, text: 'Shared subscriptions are not supported.' },
  throttled: { code: 0x9f, returnCode: 3, text: 'Too many connections from there were refused lately: wait a minute.' },
  subscription_id: { code: 0xa1, text: 'Subscription identifiers are not supported.' },
  connect_timeout: { code: 0x8d, text: 'No CONNECT arrived within 10 s.' },
} as const satisfies Record<string, { code: number; returnCode?: number; text: string }>;

export type Reason = keyof typeof reasons;

/** Ends the current request; the client gets the reason. */
export class Refusal extends Error {
  readonly reason: Reason;
  constructor(reason: Reason) {
    super(reasons[reason].text);
    this.reason = reason;
  }
}
