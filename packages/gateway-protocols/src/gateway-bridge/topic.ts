/** Topics of gateways: `gateway/{id}/event/up`, in version 4 with a prefix that names the region. */
export interface BridgeTopic {
  /** Empty without a prefix. */
  readonly prefix: string;
  /** 16 hexadecimal digits, lower case. */
  readonly gatewayID: string;
  readonly part: 'event' | 'state' | 'command';
  /** Such as `up`, `conn` or `down`. */
  readonly name: string;
}

/** The subscription for all gateways. */
export const bridgeFilters = ['', '+/'].flatMap((prefix) =>
  ['event', 'state'].map((part) => `${prefix}gateway/+/${part}/+`),
);

const pattern =
  /^(?:(?<prefix>[^/+#]{1,64})\/)?gateway\/(?<gatewayID>[0-9a-f]{16})\/(?<part>event|state|command)\/(?<name>[a-z]{1,16})$/;

/** Undefined for other topics. */
export function readBridgeTopic(topic: string): BridgeTopic | undefined {
  const found = pattern.exec(topic)?.groups;
  return found && ({ ...found, prefix: found['prefix'] ?? '' } as BridgeTopic);
}

export function bridgeTopic({ prefix, gatewayID, part, name }: BridgeTopic): string {
  return `${prefix === '' ? '' : `${prefix}/`}gateway/${gatewayID}/${part}/${name}`;
}
