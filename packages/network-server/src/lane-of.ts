/**
 * The lane in which all work on one device's session follows each other: its uplinks must not overtake each other, and
 * what is done between two of them must not lose its race against both.
 */
export function laneOfFrame(phyPayload: Uint8Array): string {
  const isJoin = phyPayload[0] === 0;
  return (isJoin ? phyPayload.subarray(9, 17) : phyPayload.subarray(1, 5)).toHex();
}

/** The same for frames of a DevAddr, which stands in them with its last byte first. */
export function laneOfAddress(devAddr: string): string {
  return Uint8Array.fromHex(devAddr).reverse().toHex();
}
