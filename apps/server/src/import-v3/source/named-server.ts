/** A server that a settings file names. */
export interface NamedServer {
  host: string;
  port: number;
  /** What of the file is sent there. */
  sent: readonly (string | undefined)[];
}

/** What to connect to. Throws UnreadableSource where nothing may lead. */
export type AddressOf = (server: NamedServer) => string | Promise<string>;
