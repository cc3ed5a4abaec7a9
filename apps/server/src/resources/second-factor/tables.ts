declare module '../../database/tables.ts' {
  interface Tables {
    second_factor: SecondFactorTable;
    recovery_code: RecoveryCodeTable;
  }
}

export interface SecondFactorTable {
  user_id: number;
  /** The secret of TOTP, sealed. */
  secret: Uint8Array;
  /** When the first code was entered; null before that, while the factor does not count. */
  confirmed_at: Date | null;
  /** The time step of the last code that was accepted: it and earlier ones are not accepted again. */
  last_step: number;
}

/** A recovery code that was not used yet. */
interface RecoveryCodeTable {
  user_id: number;
  /** SHA-256 in hexadecimal: a code has 80 random bits. */
  hash: string;
}
