/**
 * The key of the queue in which uplinks wait until their device is known: the DevAddr or DevEUI in the frame. This
 * queue preserves the order of arrival. Later steps run in the queue of the device, whose key is the DevEUI.
 */
export function arrivalKeyOf(phyPayload: Uint8Array): string {
  const isJoin = phyPayload[0] === 0;
  return `arrival/${(isJoin ? phyPayload.subarray(9, 17) : phyPayload.subarray(1, 5)).toHex()}`;
}

/** The arrival key of data frames under this DevAddr, whose bytes are reversed on the air. */
export function arrivalKeyOfDevAddr(devAddr: string): string {
  return `arrival/${Uint8Array.fromHex(devAddr).reverse().toHex()}`;
}
