/** The templates of an empty editor. They are saved only when edited. */
export const decoderSkeleton = `// Decode turns the bytes of an uplink into an object.
//  - fPort      the LoRaWAN port, a number
//  - bytes      array of bytes, such as [225, 230, 255, 0]
//  - variables  the device's variables, all text: { "calibration": "3.5" }
function Decode(fPort, bytes, variables) {
  return {};
}
`;

export const encoderSkeleton = `// Encode turns an object into the bytes of a downlink.
//  - fPort      the LoRaWAN port, a number
//  - obj        the object, such as { "temperature": 22.5 }
//  - variables  the device's variables, all text: { "calibration": "3.5" }
function Encode(fPort, obj, variables) {
  return [];
}
`;
