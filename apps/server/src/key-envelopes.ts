import { FrameError, unwrapKey, wrapKey } from '@hilltop/lorawan';

/** A key in plain text (`kekLabel` empty), or wrapped with the key-encryption key of that label (RFC 3394). */
export interface KeyEnvelope {
  kekLabel: string;
  aesKey: Uint8Array;
}

/** The key-encryption keys (KEKs) that this server shares with join servers and network servers. */
export interface KeyEnvelopes {
  /** The key in plain text when there is no KEK with that label. */
  seal: (label: string, key: Uint8Array) => KeyEnvelope;
  /** Throws KeyEnvelopeError when it cannot be unwrapped, or contains no key of 16 bytes. */
  open: (envelope: KeyEnvelope) => Uint8Array;
}

/** Its message is a sentence for operators, without keys. */
export class KeyEnvelopeError extends Error {
  override readonly name = 'KeyEnvelopeError';
}

const keyLength = 16;

export function createKeyEnvelopes(keks: ReadonlyMap<string, Uint8Array>): KeyEnvelopes {
  function unwrapped({ kekLabel, aesKey }: KeyEnvelope): Uint8Array {
    const kek = keks.get(kekLabel);
    if (!kek)
      throw new KeyEnvelopeError(`There is no key-encryption key "${kekLabel}": add it to HILLTOP_JOIN_SERVER_KEK.`);
    try {
      return unwrapKey(kek, aesKey);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      throw new KeyEnvelopeError(`A session key was not wrapped with the key-encryption key "${kekLabel}" we have.`);
    }
  }

  return {
    seal: (label, key) => {
      const kek = keks.get(label);
      return kek ? { kekLabel: label, aesKey: wrapKey(kek, key) } : { kekLabel: '', aesKey: key };
    },
    open: (envelope) => {
      const key = envelope.kekLabel === '' ? envelope.aesKey : unwrapped(envelope);
      if (key.length !== keyLength) throw new KeyEnvelopeError(`A session key has ${key.length} bytes instead of 16.`);
      return key;
    },
  };
}
