/** An HTTP request to an address that a user or a setting has configured. */
export interface OutgoingRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string | Uint8Array;
  /** Of a longer response only this much is read; 64 kB by default. */
  maxResponseBytes?: number;
  /** From the first name lookup to the last byte of the response. */
  timeoutMs: number;
  /**
   * Secrets of this request that the configuration of the integration does not contain, such as an access token. `all`
   * keeps the whole body and the response out of everything that users see.
   */
  redact?: 'all' | readonly string[];
}

export interface HttpResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Of a long response only the beginning. */
  body: Uint8Array;
}
