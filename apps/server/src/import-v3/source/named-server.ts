/** A server that a settings file names. */
export interface NamedServer {
  host: string;
  port: number;
  /** What the file has for the server: whether a password is sent to it. */
  sent: readonly (string | undefined)[];
}

/** The address to connect to. Throws UnreadableSource for a server that is not allowed. */
export type AddressOf = (server: NamedServer) => string | Promise<string>;
