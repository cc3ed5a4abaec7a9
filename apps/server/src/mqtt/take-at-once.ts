import type { IPublishPacket, MqttClient } from 'mqtt';

/**
 * Takes what a client of a broker receives, up to `most` messages at once: mqtt.js by itself takes one after the other, and
 * each that waits for the disk would hold up all. A message with quality of service 1 is acknowledged once it was taken,
 * in the order of coming (MQTT 3.1.1 §4.6); one that was not taken comes again with the next connection.
 */
export function takeAtOnce(client: MqttClient, most: number, take: (packet: IPublishPacket) => Promise<void>): void {
  let underway = 0;
  let goOn: (() => void) | undefined;
  /** Of this connection: what was not acknowledged in an earlier one is sent again. */
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
  // Here the packet is still as it came: mqtt.js would acknowledge it when `handleMessage` is done.
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
