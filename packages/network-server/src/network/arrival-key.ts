/**
 * The lane in which is found out whose a frame is, by what the frame says of its sender: DevAddr or DevEUI, else nothing.
 * It keeps the order of arrival; what follows happens in the lane of the device, whose name is its DevEUI.
 */
export function arrivalKeyOf(phyPayload: Uint8Array): string {
  const isJoin = phyPayload[0] === 0;
  return `arrival/${(isJoin ? phyPayload.subarray(9, 17) : phyPayload.subarray(1, 5)).toHex()}`;
}

/** That of data frames under this DevAddr, whose bytes go on the air in reverse. */
export function arrivalKeyOfDevAddr(devAddr: string): string {
  return `arrival/${Uint8Array.fromHex(devAddr).reverse().toHex()}`;
}
