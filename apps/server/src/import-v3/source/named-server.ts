/** A server that a settings file names. */
export interface NamedServer {
  host: string;
  port: number;
  /** Texts of the file that are sent to the server, such as its user and password. */
  sent: readonly (string | undefined)[];
}

/** The address to connect to. Throws UnreadableSource for a server that is not allowed. */
export type AddressOf = (server: NamedServer) => string | Promise<string>;
