import { cmac } from '@noble/ciphers/aes.js';

/** First bytes of AES-CMAC (RFC 4493) over the message: the MIC of every LoRaWAN frame is four of them or twice two. */
export function aesCmac(key: Uint8Array, message: Uint8Array, length = 4): Uint8Array {
  return cmac(message, key).slice(0, length);
}
