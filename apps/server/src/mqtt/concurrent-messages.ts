import type { IPublishPacket, MqttClient } from 'mqtt';

/**
 * Processes messages from a broker, up to `most` at once: mqtt.js alone processes one after the other, and each that
 * waits for the disk would delay all. A message with quality of service 1 is acknowledged after it was processed, in
 * the order of arrival (MQTT 3.1.1 §4.6); the broker resends an unprocessed one after a reconnect.
 */
export function processConcurrently(
  client: MqttClient,
  most: number,
  take: (packet: IPublishPacket) => Promise<void>,
): void {
  let underway = 0;
  let goOn: (() => void) | undefined;
  /** Acknowledgements of this connection: the broker resends those of an earlier one. */
  let acknowledging = Promise.resolve();
  let connection = 0;

  function acknowledge(messageID: number, of: number): void {
    if (of === connection && client.connected)
      client.stream.write(Buffer.of(0x40, 2, messageID >> 8, messageID & 0xff));
  }

  function reconnect(of: number): void {
    if (of === connection && client.connected) client.stream.destroy();
  }

  client.on('connect', () => {
    connection += 1;
    acknowledging = Promise.resolve();
  });
  // At this event the packet is unchanged: mqtt.js would acknowledge it when `handleMessage` is done.
  client.on('packetreceive', (packet) => {
    if (packet.cmd !== 'publish' || packet.qos !== 1) return;
    const { messageId } = packet;
    packet.qos = 0;
    awaited.set(packet, messageId!);
  });
  const awaited = new WeakMap<object, number>();

  client.handleMessage = (packet, done) => {
    const of = connection;
    const messageID = awaited.get(packet);
    const taken = take(packet);
    underway += 1;
    void taken
      .catch(() => undefined)
      .then(() => {
        underway -= 1;
        goOn?.();
        goOn = undefined;
      });
    if (messageID !== undefined)
      acknowledging = acknowledging.then(() =>
        taken.then(
          () => acknowledge(messageID, of),
          () => reconnect(of),
        ),
      );
    if (underway < most) done();
    else goOn = () => done();
  };
}
